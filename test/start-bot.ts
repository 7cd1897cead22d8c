import { afterAll, expect, onTestFinished, TestRunner } from 'vitest';
import { type App, createApp } from '../src/app.ts';
import { secretsIn } from '../src/domain/secret.ts';
import { type Clock, TIMING, type Timing } from '../src/domain/timing.ts';
import { createLog } from '../src/ops/log.ts';
import { type Chat, createChat, textOf } from '../src/sandbox/chat.ts';
import { listen } from '../src/sandbox/listen.ts';
import { type RunningBot, startBot as startMain, startSandbox } from '../src/sandbox/sandbox.ts';
import { describeProblems, readSettings } from '../src/settings.ts';
import { expectWellFormedReply } from './replies.ts';
import { type Nac, openScripts, type Room } from './scripts.ts';
import { readyzOf } from './serve.ts';
import { ALERTS_TOKEN, createSpeaker } from './speaker.ts';
import { type ClockOptions, createTestClock, type TestClock, until } from './test-clock.ts';

/** A whole bot, the systems around it, and what a test does with them. */
export type Bot<Running extends AnyBot = App> = Awaited<ReturnType<typeof startAround<Running>>>;

/** A bot in this process, or in a process of its own. */
export type AnyBot = Pick<App, 'url' | 'stop'> & { kill?: () => Promise<void> };

export type Settings = Readonly<Record<string, string>>;

/** Starts a bot with these settings alone. */
export type Start<T> = (all: Settings, onLine: (line: string) => void, clock: Clock) => Promise<T>;

export type BotOptions = ClockOptions & {
  /** Override the sandbox's own. */
  settings?: Settings | undefined;
  /** Default: the sandbox's NAC with its devices. */
  nac?: Nac;
  /** Default: the sandbox's room, which takes every post to its token. */
  room?: Room;
  timing?: Partial<Timing>;
  /** How fast the sandbox's slow devices are answered: 0.25 makes 3 s of 12 s. */
  pace?: number;
  /** Whether the start waits for the bot's database. Default: yes. */
  waits?: boolean;
};

type Around = { chat?: TestChat; clock?: TestClock; sign?: () => string };

/** A bot whose database nobody serves. */
const DATABASE_URL = 'postgres://bot@127.0.0.1:1/bot';
export const NO_DATABASE = { waits: false, settings: { DATABASE_URL, PERSONAL_SIGN_IN: '' } };

/** Makes a quarter of everything that takes seconds: turns, retries, the sandbox's slow devices. */
export const FAST = {
  pace: 0.25,
  timing: {
    turnMs: 2000,
    progressMs: 750,
    alertFirstMs: 750,
    leaseMs: 2000,
    lookups: { firstMs: 300, maxMs: 1000 },
    posts: { firstMs: 300, maxMs: 1000 },
    replies: { firstMs: 300, maxMs: 1000 },
  },
} as const;

/** Starts the bot in this process, over real HTTP. It stops when the test ends; outside of a test, when the file ends. */
export function startBot(options: BotOptions = {}): Promise<Bot> {
  return startAround(inThisProcess(options.timing), options);
}

/**
 * Starts the bot in a process of its own, for what only a process can show. Its clock is the machine's.
 * @param command how the bot is started, if not as `node src/main.ts`
 */
export function startBotProcess(
  options: BotOptions = {},
  command?: Parameters<typeof startMain>[2],
): Promise<Bot<RunningBot>> {
  return startAround((environment, onLine) => startMain(environment, onLine, command), options);
}

/** A stop waits for no turn or job that hangs. */
export function inThisProcess(timing: Partial<Timing> = {}): Start<App> {
  const shortStop = { lastTurnsMs: 500, lastJobsMs: 500 };
  return async (environment, onLine, clock) => {
    const read = readSettings(environment);
    if ('problems' in read) throw new Error(describeProblems(read.problems));
    const { settings } = read;
    const destination = { write: (lines: string) => lines.trimEnd().split('\n').forEach(onLine) };
    const log = createLog({ level: settings.logLevel, secrets: () => secretsIn(settings), destination });
    return createApp(settings, { log, clock, timing: { ...TIMING, ...shortStop, ...timing } });
  };
}

export async function startAround<Running extends AnyBot>(
  startOne: Start<Running>,
  { settings, nac, room, pace = 1, waits = true, ...time }: BotOptions,
  { chat: givenChat, clock = createTestClock(time), sign }: Around = {},
) {
  const sandbox = await startSandbox({ pace });
  const [chat, scripts] = await Promise.all([givenChat ?? openChat(), openScripts(nac, room)]);
  const log: string[] = [];
  const defaults = { PORT: '0', HOST: '127.0.0.1', ALLOWED_CHANNELS: '*', ALERTS_TOKEN };
  const environment = { ...sandbox.environment, ...defaults, ...scripts.settings, ...settings };
  async function start(changes: Settings = {}): Promise<Running> {
    const bot = await startOne({ ...environment, ...changes }, (line) => log.push(line), clock);
    if (waits) await untilOpen(bot.url);
    return bot;
  }
  const closeAround = () => Promise.all([chat.close(), sandbox.close(), scripts.close()]);
  let app = await start().catch(async (error: unknown) => {
    clock.letGo();
    await closeAround();
    throw error;
  });
  const end = () => (app.kill ?? app.stop)();
  let stopped: Promise<unknown> | undefined;
  async function stop(): Promise<void> {
    clock.letGo();
    stopped ??= end().finally(closeAround);
    await stopped;
    chat.replies.forEach(expectWellFormedReply);
  }
  if (TestRunner.getCurrentTest()) onTestFinished(stop);
  else afterAll(stop);

  const running = {
    /** The bot that runs now. */
    get app() {
      return app;
    },
    get url() {
      return app.url;
    },
    /** Stops the bot, or kills its process, and starts it again with the same database. */
    async restart(changes?: Settings): Promise<void> {
      await end();
      app = await start(changes);
    },
    stop,
    clock,
    sandbox,
    /** The texts that the room took. */
    posts: () => scripts.posts ?? sandbox.posts.map(({ text }) => text),
    /** The calls for sessions that the NAC received; the others are `otherCalls`. */
    calls: scripts.calls ?? sandbox.nacCalls,
    otherCalls: scripts.otherCalls ?? sandbox.nacOtherCalls,
    chat,
    /** Messages and edits in order of arrival. */
    replies: chat.replies,
    /** Waits for so many replies, and returns their texts. */
    async replied(count: number): Promise<string[]> {
      await until(() => expect(chat.replies.map(textOf)).toHaveLength(count));
      return chat.replies.map(textOf);
    },
    /** Makes the chat service refuse the next replies. */
    refuse: (...answers: Array<number | Chat['refusals'][number]>) =>
      void chat.refusals.push(...answers.map((each) => (typeof each === 'number' ? { status: each } : each))),
    /** The bot's log so far, a line an entry. */
    log,
    /** The lines of the log with this message, parsed. */
    logged: (msg: string) =>
      log.map((line): Record<string, unknown> => JSON.parse(line)).filter((line) => line.msg === msg),
  };
  return Object.assign(running, createSpeaker({ url: () => app.url, chat, now: clock.now, sign }));
}

/** Waits until a bot's database is open. A bot can be ready without it. */
export async function untilOpen(url: string): Promise<void> {
  await until(async () => expect(await readyzOf({ url })).toMatchObject({ parts: { database: 'ok' } }));
}

type TestChat = ReturnType<typeof createChat> & { url: string; close(): Promise<unknown> };

export async function openChat(): Promise<TestChat> {
  const chat = createChat();
  return { ...chat, ...(await listen(chat.server)) };
}
