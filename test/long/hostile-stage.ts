import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { answer } from '../serve.ts';
import { APP_PASSWORD, openSignedProcessStage } from '../stage.ts';

const TENANT = 'tenant-of-the-team';

/** Recognisable secrets, to search for in everything that the bot says. */
const SECRETS = {
  NAC_PASSWORD: 'canary-nac-password',
  WEBHOOK_TOKEN: 'sandbox-room',
  ALERTS_TOKEN: 'canary-alerts-token',
};

export type HostileStage = Awaited<ReturnType<typeof openHostileStage>>;

/** Opens a bot as exposed to the internet: authentication on, one allowed tenant, one administrator. */
export async function openHostileStage() {
  let nacCalls = 0;
  const nac = await listen(
    createServer((_, response) => {
      nacCalls++;
      answer(response, 200, { 'content-type': 'application/xml' }, sessionXml({}));
    }),
  );
  const stage = await openSignedProcessStage({
    ...SECRETS,
    ALLOWED_TENANTS: TENANT,
    ADMINS: 'nobody',
    NAC_URL: nac.url,
    NAC_TIMEOUT_MS: '3000',
    NAC_HISTORY: '0',
    PERSONAL_SIGN_IN: '',
    LOG_LEVEL: 'trace',
  });
  const { bot, channel: identity, authority, replies } = stage;
  const { hostname, port } = new URL(bot.url);
  const said: string[] = [];
  const socket = () => connect(Number(port), hostname);

  async function request(path: string, init: RequestInit): Promise<{ status: number; body: string }> {
    const response = await fetch(`${bot.url}${path}`, { signal: AbortSignal.timeout(20_000), ...init });
    const body = await response.text();
    said.push(JSON.stringify([...response.headers]), body);
    return { status: response.status, body };
  }

  return {
    bot,
    identity,
    replies,
    calls: () => ({ nac: nacCalls, room: stage.posts().length }),
    /** Sends an activity with a valid token; `changes` override its fields. */
    async send(text: string, changes: Record<string, unknown> = {}) {
      const conversation = { id: 'chat', conversationType: 'personal', tenantId: TENANT };
      const answer = await stage.say(text, { conversation, ...changes });
      said.push(answer.text);
      return answer;
    },
    request,
    /** Sends raw bytes; returns the answer received until the connection ended, or a second passed. */
    async raw(bytes: string): Promise<string> {
      const connection = socket();
      let text = '';
      connection.on('data', (chunk) => {
        text += chunk;
      });
      connection.write(bytes);
      await once(connection, 'close', { signal: AbortSignal.timeout(1000) }).catch(() => {}); // Or a reset.
      connection.destroy();
      said.push(text);
      return text;
    },
    socket,
    /** Whether the bot still runs and answers within 2 s. */
    async isAlive(): Promise<boolean> {
      const begun = performance.now();
      const { status } = await request('/healthz', {});
      return status === 200 && performance.now() - begun < 2000 && bot.child.exitCode === null;
    },
    /** The secrets found in the bot's answers, messages or log. */
    leaks(): string[] {
      const told = replies.map(({ activity }) => JSON.stringify(activity));
      const everything = [...said, ...stage.log, ...told].join('\n');
      return [APP_PASSWORD, ...Object.values(SECRETS), ...authority.tokens].filter((secret) =>
        everything.includes(secret),
      );
    },
    async close(): Promise<void> {
      await stage.close();
      await nac.close();
    },
  };
}
