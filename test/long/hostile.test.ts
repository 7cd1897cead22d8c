import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { APP_PASSWORD, startSignedProcess } from '../start-signed.ts';
import { type HostileBot, wireAttacks } from './wire-attacks.ts';

/** Recognisable secrets, to search for in everything that the bot sends. */
const SECRETS = {
  NAC_PASSWORD: 'canary-nac-password',
  WEBHOOK_TOKEN: 'sandbox-room',
  ALERTS_TOKEN: 'canary-alerts-token',
};
const TENANT = 'tenant-of-the-team';
/** As exposed to the internet: authentication on, one allowed tenant, one administrator. */
const EXPOSED = { ALLOWED_TENANTS: TENANT, ADMINS: 'nobody', PERSONAL_SIGN_IN: '' };
const bot = await startSignedProcess({
  nac: () => sessionXml({}),
  settings: { ...SECRETS, ...EXPOSED, NAC_TIMEOUT_MS: '3000', NAC_HISTORY: '0', LOG_LEVEL: 'trace' },
});
const received: string[] = [];

const attacked: HostileBot = {
  app: bot.app,
  issue: bot.channel.issue,
  socket: () => connect(Number(new URL(bot.url).port), '127.0.0.1').on('error', () => {}), // The bot may end it.
  async send(text) {
    const conversation = { id: 'chat', conversationType: 'personal', tenantId: TENANT };
    const answer = await bot.say(text, { conversation });
    received.push(answer.text);
    return answer;
  },
  async request(path, init) {
    const response = await fetch(`${bot.url}${path}`, { signal: AbortSignal.timeout(20_000), ...init });
    received.push(JSON.stringify([...response.headers]), await response.text());
    return response.status;
  },
  async raw(bytes) {
    const socket = attacked.socket();
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(bytes);
    await once(socket, 'close', { signal: AbortSignal.timeout(1000) }).catch(() => {}); // Or a reset.
    socket.destroy();
    received.push(text);
    return text;
  },
};
const actions = () => [bot.calls.length, bot.posts().length];

describe('open to the whole internet', { timeout: 300_000 }, () => {
  it('an allowed person is answered', async () => {
    const { status, texts } = await attacked.send('lookup AA:BB:CC:DD:EE:FF');
    expect([status, texts.join()]).toEqual([200, expect.stringContaining('Corp_Wired_Access')]);
    expect(actions()).toEqual([1, 1]);
  });

  it.each(Object.entries(wireAttacks))(
    '%s cause no fault and no call, and the bot still answers',
    async (_, run) => {
      const before = actions();
      expect(await run(attacked)).toEqual([]);
      expect(actions()).toEqual(before);
      const begun = performance.now();
      expect(await attacked.request('/healthz', {})).toBe(200);
      expect(performance.now() - begun).toBeLessThan(2000);
      expect(bot.app.child.exitCode).toBeNull();
    },
  );

  it('no secret has leaked', () => {
    const everything = [...received, ...bot.log, JSON.stringify(bot.replies)].join('\n');
    for (const secret of [APP_PASSWORD, ...Object.values(SECRETS), ...bot.authority.tokens])
      expect(everything.includes(secret)).toBe(false);
  });
});
