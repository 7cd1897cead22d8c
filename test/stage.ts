import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text as textOfStream } from 'node:stream/consumers';
import { expect, onTestFinished, vi } from 'vitest';
import { systemClock } from '../src/app/start.ts';
import { type App, createApp } from '../src/app.ts';
import { secretsIn } from '../src/domain/secret.ts';
import { type Clock, TIMING, type Timing } from '../src/domain/timing.ts';
import { createLog } from '../src/ops/log.ts';
import { type Chat, createChat, messageActivity, textOf } from '../src/sandbox/chat.ts';
import { listen } from '../src/sandbox/listen.ts';
import { type RunningBot, startBot, startSandbox } from '../src/sandbox/sandbox.ts';
import { describeProblems, readSettings } from '../src/settings.ts';
import { readyzOf } from './serve.ts';
import {
  type Authority,
  openAuthority,
  openChannelIdentity,
  type TokenChanges,
} from './teams/authentication/identity.ts';

/** What a stage needs of a bot, be it an app in this process or a process of its own. */
type AnyBot = Pick<App, 'url' | 'stop'> & { kill?: () => Promise<void> };

/** A whole bot, its sandbox, and the chat service that receives its replies. */
export type Stage<Bot extends AnyBot = App> = Awaited<ReturnType<typeof openStageOf<Bot>>>;

/** A stage where all that takes seconds takes a quarter of them: turns, retries, and the sandbox's slow devices. */
export const FAST = {
  pace: 0.25,
  timing: {
    turnMs: 2000,
    progressMs: 500,
    alertFirstMs: 750,
    heldMs: 2000,
    lookups: { firstMs: 300, mostMs: 1000 },
    posts: { firstMs: 300, mostMs: 1000 },
    replies: { firstMs: 300, mostMs: 1000 },
  },
} as const;

/** A test that closes its stage waits for no turn that hangs. */
const STAGE_TIMING: Timing = { ...TIMING, lastTurnsMs: 500, lastJobsMs: 500 };

type Settings = Record<string, string>;

/** Starts a bot with these settings alone. */
type Start<Bot> = (settings: Settings, onLine: (line: string) => void, clock: Clock) => Promise<Bot>;

/** @property waits whether the stage waits until the bot's database is open, so that the first message can become a job */
type Options = { timing?: Partial<Timing>; pace?: number; waits?: boolean };

/** Opens a stage around a bot in this process. @param settings override the sandbox's own */
export function openStage(settings: Settings = {}, { timing, ...around }: Options = {}): Promise<Stage> {
  return openStageOf(inProcess(timing), settings, around);
}

/** Opens a stage that closes when the test ends. */
export async function stageForTest(...options: Parameters<typeof openStage>): Promise<Stage> {
  const stage = await openStage(...options);
  onTestFinished(stage.close);
  return stage;
}

function inProcess(timing: Partial<Timing> = {}): Start<App> {
  return async (environment, onLine, clock) => {
    const read = readSettings(environment);
    if ('problems' in read) throw new Error(describeProblems(read.problems));
    const { settings } = read;
    const destination = { write: (lines: string) => lines.trimEnd().split('\n').forEach(onLine) };
    const { logLevel: level, watchFiles: watch } = settings;
    const log = createLog({ level, secrets: secretsIn(settings), watch, destination });
    return createApp(settings, { log, clock, timing: { ...STAGE_TIMING, ...timing } });
  };
}

/**
 * Opens a stage around a bot in a process of its own, for what only a process can show. Its clock is the machine's.
 * @param command how the bot is started, if not as `node src/main.ts`
 */
export function openProcessStage(
  settings: Settings = {},
  command?: Parameters<typeof startBot>[2],
): Promise<Stage<RunningBot>> {
  return openStageOf((environment, onLine) => startBot(environment, onLine, command), settings);
}

function createTestClock() {
  let [ahead, wallAhead] = [0, 0];
  return {
    now: () => systemClock.now() + ahead + wallAhead,
    steady: () => systemClock.steady() + ahead,
    /** Moves the bot's clocks ahead (milliseconds). */
    skip(ms: number): void {
      ahead += ms;
    },
    /** Moves the wall clock alone, ahead or back (milliseconds). */
    moveWall(ms: number): void {
      wallAhead += ms;
    },
  };
}

/** What stands around a bot; a part that is not given is opened. */
type Around = {
  chat?: Awaited<ReturnType<typeof openChat>>;
  /** How fast the sandbox's slow devices are answered. */
  pace?: number;
  waits?: boolean;
  clock?: ReturnType<typeof createTestClock>;
  /** Signs what is said. */
  sign?: (token: TokenChanges) => string;
};

async function openStageOf<Bot extends AnyBot>(
  startOne: Start<Bot>,
  settings: Settings,
  { sign, pace = 1, waits = true, chat: givenChat, clock = createTestClock() }: Around = {},
) {
  const sandbox = await startSandbox({ pace });
  const chat = givenChat ?? (await openChat());
  const log: string[] = [];
  // Some tests speak on a channel that shows no cards.
  const environment = { ...sandbox.environment, PORT: '0', HOST: '127.0.0.1', ALLOWED_CHANNELS: '*' };
  async function start(changes: Settings = {}): Promise<Bot> {
    const bot = await startOne({ ...environment, ...settings, ...changes }, (line) => log.push(line), clock);
    if (waits) await untilOpen(bot.url);
    return bot;
  }
  const closeOthers = () => Promise.all([chat.close(), sandbox.close()]);
  let app = await start().catch(async (error: unknown) => {
    await closeOthers();
    throw error;
  });
  const end = () => (app.kill ?? app.stop)();

  /** A message as the channel would deliver it; `changes` are laid over it. */
  const activity = (text: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
    ...messageActivity(chat.url, text),
    ...changes,
  });

  /** Sends anything to `/api/messages`. */
  async function post(body: unknown, headers: OutgoingHttpHeaders | readonly string[]) {
    const before = chat.replies.length;
    const begun = performance.now();
    const outgoing = request(`${app.url}/api/messages`, { method: 'POST', headers, agent: false });
    outgoing.on('error', () => {}); // After the response, too, the bot may end the connection.
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const text = await textOfStream(response);
    const replies = chat.replies.slice(before);
    return {
      status: response.statusCode ?? 0,
      text,
      /** The answer's JSON; undefined without a body. */
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
      /** How long the answer took. */
      ms: performance.now() - begun,
      texts: replies.map(textOf),
      replies,
    };
  }

  return {
    /** The bot that runs now. */
    get bot() {
      return app;
    },
    sandbox,
    chat,
    replies: chat.replies,
    /** The texts that were posted to the room. */
    posts: () => sandbox.room.posts().map(({ text }) => text),
    /** When the bot sent typing indicators. */
    typing: chat.typing,
    /** Makes the chat service refuse the next replies. */
    refuse: (...statuses: Chat['refusals']) => void chat.refusals.push(...statuses),
    /** The bot's log so far, a line an entry. */
    log,
    activity,
    post,
    /** Sends a message. On a signed stage, with a token that fits it and has these changes. */
    say: (text: string, changes?: Record<string, unknown>, token: TokenChanges = {}) =>
      post(activity(text, changes), {
        'content-type': 'application/json',
        ...(sign && { authorization: `Bearer ${sign(token)}` }),
      }),
    /** Sends an alert as a monitoring system does, to a thread if one is named. Returns the status. */
    async alert(text: string, thread?: string): Promise<number> {
      const authorization = `Bearer ${settings.ALERTS_TOKEN}`;
      const headers = { 'content-type': 'application/json', authorization };
      const body = JSON.stringify({ text, thread });
      return (await fetch(`${app.url}/api/alerts`, { method: 'POST', headers, body })).status;
    },
    skip: clock.skip,
    moveWall: clock.moveWall,
    /** Stops the bot, or kills its process, and starts it again with the same database. */
    async restart(changes?: Settings): Promise<void> {
      await end();
      app = await start(changes);
    },
    async close(): Promise<void> {
      await end();
      await closeOthers();
    },
  };
}

/** Waits until a bot's database is open. A bot can be ready without it. */
export async function untilOpen(url: string): Promise<void> {
  const isOpen = async () => expect(await readyzOf({ url })).toMatchObject({ parts: { database: 'ok' } });
  await vi.waitFor(isOpen, 20_000);
}

async function openChat() {
  const chat = createChat();
  return { ...chat, ...(await listen(chat.server)) };
}

const APP_ID = '5f2a1c9e-0000-4000-8000-00000000b07a';
const TENANT = 'bot-tenant';
export const APP_PASSWORD = 'canary-app-password';

/** A stage whose bot has authentication on, with the systems that sign on both sides. */
export type SignedStage<Bot extends AnyBot = App> = Awaited<ReturnType<typeof openSignedStageOf<Bot>>>;

/** @param prepare changes the authority before the bot starts */
export function openSignedStage(
  settings: Settings = {},
  prepare?: (authority: Authority) => void,
): Promise<SignedStage> {
  return openSignedStageOf(inProcess(), settings, prepare);
}

export function openSignedProcessStage(settings: Settings): Promise<SignedStage<RunningBot>> {
  return openSignedStageOf((environment, onLine) => startBot(environment, onLine), settings);
}

async function openSignedStageOf<Bot extends AnyBot>(
  start: Start<Bot>,
  settings: Settings,
  prepare: (authority: Authority) => void = () => {},
) {
  /** The `Authorization` header of each call to the chat service, signs of typing included. */
  const carried: Array<string | undefined> = [];
  const chat = await openChat();
  chat.server.prependListener('request', ({ headers }) => carried.push(headers.authorization));
  const clock = createTestClock();
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
  const around = { chat, clock, sign: channel.issue };
  const stage = await openStageOf(start, { ...identity, ...settings }, around);
  // The bot requests a token when it starts, which is no action of a test.
  const isAnswered = () =>
    expect(stage.log.join()).toMatch(/the authority issues tokens|the bot gets no token/);
  await vi.waitFor(isAnswered, 20_000);
  return {
    ...stage,
    get bot() {
      return stage.bot;
    },
    channel,
    authority,
    carried,
    /** Counts the bot's visible actions: calls of the NAC, posts, calls of the chat service, requests for tokens. */
    actions: () => ({
      nac: stage.sandbox.nacCalls.length,
      posts: stage.sandbox.room.posts().length,
      chat: carried.length,
      authority: authority.requests.length,
    }),
    async close() {
      await stage.close();
      await Promise.all([channel.close(), authority.close()]);
    },
  };
}
