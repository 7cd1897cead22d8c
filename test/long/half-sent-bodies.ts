import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { cpuMsOf, rssOf } from '../usage-of.ts';
import type { Attack } from './attacks.ts';
import type { HostileStage } from './hostile-stage.ts';

const SENDERS = 1000;
const DECLARED_BYTES = 262_000;
const SENT = Buffer.alloc(255 * 1024, '[{"a1":{}},');

/** How much memory strangers may cost; and those with a token, whose bodies have a room of 32 MB. */
const MOST_MB = 100;
const MOST_WITH_TOKEN_MB = 150;

/** How long another may wait meanwhile. */
const MOST_MS = 1500;

/** How often the bot is watched while the senders wait, and the pause between. */
const LOOKS = 20;
const BETWEEN_MS = 100;

const STRANGER = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

type Door = { path: string; authorization?: string };

/** Senders that hold back the end of their bodies, at each door. */
export const halfSentBodies: readonly Attack[] = [
  attack('without a token', MOST_MB, () => ({ path: '/api/messages' })),
  attack('with a forged token', MOST_MB, ({ identity }) => ({
    path: '/api/messages',
    authorization: `Bearer ${identity.issue({ key: STRANGER })}`,
  })),
  attack('with a valid token', MOST_WITH_TOKEN_MB, ({ identity }) => ({
    path: '/api/messages',
    authorization: `Bearer ${identity.issue({})}`,
  })),
  attack('with the token of alerts', MOST_WITH_TOKEN_MB, () => ({
    path: '/api/alerts',
    authorization: 'Bearer canary-alerts-token',
  })),
];

function attack(name: string, mostMb: number, doorOf: (stage: HostileStage) => Door): Attack {
  return {
    name: `half-sent bodies ${name}`,
    async run(stage) {
      const before = rssOf(stage.bot);
      const sockets = await sendHalf(stage, doorOf(stage));
      const { mb, ms } = await watch(stage);
      const closed = sockets.map((each) => each.closed || once(each, 'close'));
      for (const each of sockets) each.destroy();
      await Promise.all(closed);
      const { status } = await stage.send('help');
      const faults = [
        ...(mb - before > mostMb ? [`${Math.round(mb - before)} MB more`] : []),
        ...(ms > MOST_MS ? [`/healthz took ${Math.round(ms)} ms`] : []),
        ...(status === 200 ? [] : [`the next message got ${status}`]),
      ];
      return { inputs: SENDERS, faults };
    },
  };
}

async function sendHalf({ socket }: HostileStage, { path, authorization }: Door) {
  const sockets = Array.from({ length: SENDERS }, socket);
  await Promise.all(sockets.map((each) => once(each, 'connect')));
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${DECLARED_BYTES}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
  ].join('\r\n');
  for (const each of sockets) {
    each.on('error', () => {}); // The bot may end the connection, as it should.
    each.resume();
    each.write(`${head}\r\n\r\n`);
    each.write(SENT);
  }
  return sockets;
}

/**
 * The most memory that the bot took, and the longest time that it needed to answer. Only time in which the bot computed
 * counts, because the machine is shared, with the senders too.
 */
async function watch({ bot, request }: HostileStage): Promise<{ mb: number; ms: number }> {
  let mb = 0;
  let ms = 0;
  for (let look = 0; look < LOOKS; look++) {
    const begun = { at: performance.now(), cpuMs: cpuMsOf(bot) };
    await request('/healthz', {});
    ms = Math.max(ms, Math.min(performance.now() - begun.at, cpuMsOf(bot) - begun.cpuMs));
    mb = Math.max(mb, rssOf(bot));
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  }
  return { mb, ms };
}
