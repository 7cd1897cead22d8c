import { type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { type Chat, createChat, messageActivity, textOf } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { type RunningBot, type Sandbox, startBot, startSandbox } from '../../src/sandbox/sandbox.ts';
import { untilOpen } from '../e2e/bot.ts';
import { type ChannelIdentity, openChannelIdentity, type TokenChanges } from './identity.ts';
import { type Authority, openAuthority } from './identity-authority.ts';

const APP_ID = '5f2a1c9e-0000-4000-8000-00000000b07a';
const TENANT = 'bot-tenant';
export const APP_PASSWORD = 'canary-app-password';

/** A running bot with authentication on, and all systems around it. */
export type SignedStage = {
  readonly bot: RunningBot;
  sandbox: Sandbox;
  channel: ChannelIdentity;
  authority: Authority;
  chat: Chat & { url: string };
  /** The `Authorization` header of each call to the chat service, signs of typing included. */
  carried: ReadonlyArray<string | undefined>;
  /** The bot's output so far, a line an entry. */
  log: string[];
  /** A message as the channel would deliver it; `changes` are laid over it. */
  activity(text: string, changes?: Record<string, unknown>): Record<string, unknown>;
  /** Sends a message with a token that fits it. */
  say(text: string, changes?: Record<string, unknown>, token?: TokenChanges): Promise<Answered>;
  /** Sends anything to `/api/messages`. */
  post(body: unknown, headers: OutgoingHttpHeaders | readonly string[]): Promise<Answered>;
  /** How often the bot did something visible: calls of the NAC, posts, calls of the chat service, tokens fetched. */
  deeds(): { nac: number; posts: number; chat: number; authority: number };
  /** Waits until the database is open. */
  ready(): Promise<void>;
  /** Advances the bot's clock by half a minute or an hour. */
  skip(time: '31 s' | '1 h'): Promise<void>;
  /** Kills the bot and starts it anew with the same database. */
  restart(changes?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
};

/** The answer to one request, and what the chat was told until then. */
type Answered = { status: number; body: string; texts: string[]; ms: number };

/**
 * @param settings laid over the settings of this stage's bot
 * @param prepare changes the authority before the bot starts
 */
export async function openSignedStage(
  settings: Record<string, string> = {},
  prepare: (authority: Authority) => void = () => {},
): Promise<SignedStage> {
  const log: string[] = [];
  const carried: Array<string | undefined> = [];
  const sandbox = await startSandbox();
  const chat = createChat();
  chat.server.prependListener('request', ({ headers }) => carried.push(headers.authorization));
  const chatAt = await listen(chat.server);
  const channel = await openChannelIdentity({ appId: APP_ID, serviceUrl: chatAt.url });
  const authority = await openAuthority({ tenant: TENANT, clientId: APP_ID, clientSecret: APP_PASSWORD });

  const { ALLOW_UNAUTHENTICATED: _, ...others } = sandbox.environment;
  const environment = {
    ...others,
    PORT: '0',
    HOST: '127.0.0.1',
    NODE_EXTRA_CA_CERTS: authority.certificateFile,
    NODE_OPTIONS: `--import=${new URL('./skipping-clock.ts', import.meta.url)}`,
    MicrosoftAppId: APP_ID,
    MicrosoftAppPassword: APP_PASSWORD,
    MicrosoftAppType: 'SingleTenant',
    MicrosoftAppTenantId: TENANT,
    BotOpenIdMetadata: channel.metadataUrl,
    ToChannelFromBotLoginUrl: authority.loginUrl,
    SERVICE_HOSTS: '127.0.0.1',
    ALLOWED_TENANTS: '*',
    ...settings,
  };
  const start = (changes: Record<string, string> = {}) =>
    startBot({ ...environment, ...changes }, (line) => log.push(line));
  prepare(authority);
  let bot = await start();
  // The bot asks for a token at its start, which is no deed of a test.
  await vi.waitFor(
    () => expect(log.join('\n')).toMatch(/the authority issues tokens|the bot gets no token/),
    20_000,
  );

  const activity: SignedStage['activity'] = (text, changes = {}) => ({
    ...messageActivity(chatAt.url, text),
    ...changes,
  });

  async function post(body: unknown, headers: OutgoingHttpHeaders | readonly string[]): Promise<Answered> {
    const before = chat.replies.length;
    const begun = Date.now();
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
    const outgoing = request(bot.messagesUrl, { method: 'POST', headers, agent: false }, async (response) =>
      resolve({ status: response.statusCode ?? 0, body: await text(response) }),
    );
    outgoing.on('error', reject);
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    const answered = await promise;
    return { ...answered, texts: chat.replies.slice(before).map(textOf), ms: Date.now() - begun };
  }

  return {
    get bot() {
      return bot;
    },
    sandbox,
    channel,
    authority,
    chat: { ...chat, url: chatAt.url },
    carried,
    log,
    activity,
    post,
    say: (words, changes, token = {}) =>
      post(activity(words, changes), {
        'content-type': 'application/json',
        authorization: `Bearer ${channel.issue(token)}`,
      }),
    deeds: () => ({
      nac: sandbox.nacCalls.length,
      posts: sandbox.room.posts().length,
      chat: carried.length,
      authority: authority.requests.length,
    }),
    async ready() {
      await untilOpen(bot.url);
    },
    async skip(time) {
      const before = log.length;
      bot.child.kill(time === '31 s' ? 'SIGUSR2' : 'SIGHUP');
      await vi.waitFor(() => expect(log.slice(before)).toContain('the clock went ahead'), 5000);
    },
    async restart(changes) {
      await bot.kill();
      bot = await start(changes);
    },
    async close() {
      await bot.kill();
      await Promise.all([chatAt.close(), channel.close(), authority.close(), sandbox.close()]);
    },
  };
}
