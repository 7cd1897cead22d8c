import { expect } from 'vitest';
import type { App } from '../src/app.ts';
import { type RunningBot, startBot as startMain } from '../src/sandbox/sandbox.ts';
import type { AnyBot, Bot, BotOptions, Start } from './start-bot.ts';
import { inThisProcess, openChat, startAround } from './start-bot.ts';
import type { Authority, ChannelIdentity } from './teams/authentication/identity.ts';
import { openAuthority, openChannelIdentity } from './teams/authentication/identity.ts';
import { createTestClock, until } from './test-clock.ts';

const APP_ID = '5f2a1c9e-0000-4000-8000-00000000b07a';
const TENANT = 'bot-tenant';
export const APP_PASSWORD = 'canary-app-password';

/** A bot with authentication on, and the systems that sign on both sides. `prepare` changes the authority before the start. */
type SignedOptions = BotOptions & { prepare?: (authority: Authority) => void };

export type SignedBot<Running extends AnyBot = App> = Bot<Running> & {
  channel: ChannelIdentity;
  authority: Authority;
  /** The `Authorization` header of each call to the chat service. */
  carried: ReadonlyArray<string | undefined>;
  /** How often the bot did something visible: calls of the NAC, posts, calls of the chat service, tokens fetched. */
  actions(): Readonly<Record<'nac' | 'posts' | 'chat' | 'authority', number>>;
};

/** Starts a bot in this process whose messages are signed. What `say` sends has a token that fits. */
export function startSignedBot(options: SignedOptions = {}): Promise<SignedBot> {
  return startSigned(inThisProcess(options.timing), options);
}

export function startSignedProcess(options: SignedOptions = {}): Promise<SignedBot<RunningBot>> {
  return startSigned((environment, onLine) => startMain(environment, onLine), options);
}

async function startSigned<Running extends AnyBot>(
  start: Start<Running>,
  { prepare = () => {}, settings, ...options }: SignedOptions,
): Promise<SignedBot<Running>> {
  const carried: Array<string | undefined> = [];
  const chat = await openChat();
  chat.server.prependListener('request', ({ headers }) => carried.push(headers.authorization));
  const clock = createTestClock(options);
  const channel = await openChannelIdentity({ appId: APP_ID, serviceUrl: chat.url, now: clock.now });
  const authority = await openAuthority({ tenant: TENANT, clientId: APP_ID, clientSecret: APP_PASSWORD });
  prepare(authority);
  authority.trust();
  const identity = {
    ALLOW_UNAUTHENTICATED: '',
    MicrosoftAppId: APP_ID,
    MicrosoftAppPassword: APP_PASSWORD,
    MicrosoftAppType: 'SingleTenant',
    MicrosoftAppTenantId: TENANT,
    BotOpenIdMetadata: channel.metadataUrl,
    ToChannelFromBotLoginUrl: authority.loginUrl,
    NODE_EXTRA_CA_CERTS: authority.certificateFile,
    SERVICE_HOSTS: '127.0.0.1',
    ALLOWED_CHANNELS: '',
    ALLOWED_TENANTS: '*',
  };
  const close = () => Promise.all([chat.close(), channel.close(), authority.close()]);
  const around = { clock, sign: () => channel.issue({}), chat: { ...chat, close } };
  const bot = await startAround(start, { ...options, settings: { ...identity, ...settings } }, around);
  // The bot asks for a token at its start, which no test asked for.
  await until(() => expect(bot.log.join()).toContain('"part":"chat"'));
  const actions = () => {
    const counts = { nac: bot.calls.length, posts: bot.posts().length, chat: carried.length };
    return { ...counts, authority: authority.requests.length };
  };
  return Object.assign(bot, { channel, authority, carried, actions });
}
