import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createExchanges } from './exchanges.ts';
import { listen } from './listen.ts';
import { createNac, type NacCall, PERSONAL_ACCOUNT, SERVICE_ACCOUNT } from './nac.ts';
import { type ProcessOptions, type RunningProcess, startProcess } from './process.ts';
import { createWebhook } from './webhook.ts';

const ACCOUNTS = [SERVICE_ACCOUNT, PERSONAL_ACCOUNT];

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts the five endpoints on loopback.
 * @param options.room the preferred port of the room page
 * @param options.pace how fast the NAC's slow devices are answered
 */
export async function startSandbox({ room, pace }: { room?: number; pace?: number } = {}) {
  const data = await mkdtemp(join(tmpdir(), 'nac-lookup-bot-'));
  const nac = createNac({ accounts: ACCOUNTS, ...(pace !== undefined && { pace }) });
  const exchanges = createExchanges({ accounts: ACCOUNTS });
  const webhook = createWebhook();
  const [nacAt, exchangesAt, webhookAt] = await Promise.all([
    listen(nac.server),
    listen(exchanges.server),
    listen(webhook.server, room),
  ]);
  return {
    room: webhook.room,
    roomUrl: webhookAt.url,
    /** The session calls that the NAC received, and the calls beside them. */
    nacCalls: nac.calls as readonly NacCall[],
    nacSisterCalls: nac.sisterCalls as readonly NacCall[],
    /** Settings for a bot that uses these endpoints. */
    environment: {
      ALLOW_UNAUTHENTICATED: '1',
      OPS_PORT: '0',
      NAC_URL: nacAt.url,
      NAC_USERNAME: SERVICE_ACCOUNT.username,
      NAC_PASSWORD: SERVICE_ACCOUNT.password,
      WEBHOOK_URL: webhookAt.url,
      WEBHOOK_TOKEN: 'sandbox-room',
      AUTHORIZE_URL: exchangesAt.url,
      AUTHORIZE_SDK_PREFIX: 'vedsdk',
      AUTHORIZE_USERNAME: SERVICE_ACCOUNT.username,
      AUTHORIZE_PASSWORD: SERVICE_ACCOUNT.password,
      TICKET_URL: exchangesAt.url,
      TICKET_USERNAME: SERVICE_ACCOUNT.username,
      TICKET_PASSWORD: SERVICE_ACCOUNT.password,
      PERSONAL_SIGN_IN: '1',
      SECRET_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: data,
    } as Readonly<Record<string, string>>,
    async close(): Promise<void> {
      await Promise.all([nacAt.close(), exchangesAt.close(), webhookAt.close()]);
      await rm(data, { recursive: true, force: true });
    },
  };
}

export type RunningBot = RunningProcess & { messagesUrl: string; url: string };

const MAIN = { args: [fileURLToPath(new URL('../main.ts', import.meta.url))] };

/** Starts the bot as in production: as its own process, with only these settings. */
export async function startBot(
  environment: Readonly<Record<string, string>>,
  onLine?: ProcessOptions<number>['onLine'],
  command: Pick<ProcessOptions<number>, 'program' | 'detached' | 'args' | 'cwd'> = MAIN,
): Promise<RunningBot> {
  const bot = await startProcess({
    ...command,
    env: environment,
    upWhen: (line) => /"port":(\d+),"msg":"listening"/.exec(line)?.[1],
    ...(onLine && { onLine }),
  });
  const url = `http://127.0.0.1:${bot.up}`;
  return { ...bot, url, messagesUrl: `${url}/api/messages` };
}
