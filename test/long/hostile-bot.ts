import { once } from 'node:events';
import { connect } from 'node:net';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { APP_PASSWORD, startSignedProcess } from '../start-signed.ts';

const TENANT = 'tenant-of-the-team';

/** Recognisable secrets, to search for in everything that the bot sends. */
const SECRETS = {
  NAC_PASSWORD: 'canary-nac-password',
  WEBHOOK_TOKEN: 'sandbox-room',
  ALERTS_TOKEN: 'canary-alerts-token',
};

export type HostileBot = Awaited<ReturnType<typeof startHostileBot>>;

/** Starts a bot as exposed to the internet: authentication on, one allowed tenant, one administrator. */
export async function startHostileBot() {
  const bot = await startSignedProcess({
    nac: () => sessionXml({}),
    settings: {
      ...SECRETS,
      ALLOWED_TENANTS: TENANT,
      ADMINS: 'nobody',
      NAC_TIMEOUT_MS: '3000',
      NAC_HISTORY: '0',
      PERSONAL_SIGN_IN: '',
      LOG_LEVEL: 'trace',
    },
  });
  const { app, url, channel: identity, authority, replies } = bot;
  const { hostname, port } = new URL(url);
  const received: string[] = [];
  const socket = () => connect(Number(port), hostname);

  async function request(path: string, init: RequestInit): Promise<{ status: number; body: string }> {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(20_000), ...init });
    const body = await response.text();
    received.push(JSON.stringify([...response.headers]), body);
    return { status: response.status, body };
  }

  return {
    app,
    identity,
    replies,
    calls: () => ({ nac: bot.calls.length, room: bot.posts().length }),
    /** Sends an activity with a valid token; `changes` override its fields. */
    async send(text: string, changes: Record<string, unknown> = {}) {
      const conversation = { id: 'chat', conversationType: 'personal', tenantId: TENANT };
      const answer = await bot.say(text, { conversation, ...changes });
      received.push(answer.text);
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
      received.push(text);
      return text;
    },
    socket,
    /** Whether the bot still runs and answers within 2 s. */
    async isAlive(): Promise<boolean> {
      const begun = performance.now();
      const { status } = await request('/healthz', {});
      return status === 200 && performance.now() - begun < 2000 && app.child.exitCode === null;
    },
    /** The secrets found in the bot's answers, messages or log. */
    leaks(): string[] {
      const everything = [...received, ...bot.log, JSON.stringify(replies)].join('\n');
      return [APP_PASSWORD, ...Object.values(SECRETS), ...authority.tokens].filter((secret) =>
        everything.includes(secret),
      );
    },
  };
}
