import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, TestRunner, vi } from 'vitest';
import { systemClock } from '../src/app/start.ts';
import { type App, createApp } from '../src/app.ts';
import { secretsIn } from '../src/domain/secret.ts';
import { type Clock, TIMING, type Timing } from '../src/domain/timing.ts';
import { createLog } from '../src/ops/log.ts';
import { type Chat, createChat, messageActivity, textOf } from '../src/sandbox/chat.ts';
import { listen } from '../src/sandbox/listen.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { describeProblems, readSettings } from '../src/settings.ts';
import { buttonOf, expectWellFormedReply, pressing } from './replies.ts';
import { type Nac, openScripts, type Room } from './scripts.ts';
import { readyzOf } from './serve.ts';

/** A whole bot, the systems around it, and what a test does with them. */
export type Bot<Running extends AnyBot = App> = Awaited<ReturnType<typeof startAround<Running>>>;

/** A bot in this process, or in a process of its own. */
export type AnyBot = Pick<App, 'url' | 'stop'> & { kill?: () => Promise<void> };

export type Settings = Readonly<Record<string, string>>;

/** Starts a bot with these settings alone. */
export type Start<Running> = (
  settings: Settings,
  onLine: (line: string) => void,
  clock: Clock,
) => Promise<Running>;

export type BotOptions = {
  /** Override the sandbox's own. */
  settings?: Settings | undefined;
  /** Default: the sandbox's NAC with its devices. */
  nac?: Nac;
  /** Default: the sandbox's room, which takes every post to its token. */
  room?: Room;
  timing?: Partial<Timing>;
  /** How fast the sandbox's slow devices are answered: 0.25 makes 3 s of 12 s. */
  pace?: number;
  /** When the bot's clocks begin (ISO 8601). Default: now. */
  at?: string;
  /** Whether clocks and timers stand still until `clock.skip`. */
  holdsTime?: boolean;
  /** Whether the start waits for the bot's database. Default: yes. */
  waits?: boolean;
};

type Press = { typed?: object; [field: string]: unknown };

/** What stands around a bot beside its options; a part that is not given is opened. */
type Around = { chat?: TestChat; clock?: TestClock; sign?: () => string };

/** Makes a quarter of everything that takes seconds: turns, retries, the sandbox's slow devices. */
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

export const ALERTS_TOKEN = 'token-for-alerts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PATIENCE_MS = 20_000;

/** Starts the bot in this process, over real HTTP. It stops when the test ends; outside of a test, when the file ends. */
export function startBot(options: BotOptions = {}): Promise<Bot> {
  return startAround(inThisProcess(options.timing), options);
}

/** A stop waits for no turn or job that hangs. */
export function inThisProcess(timing: Partial<Timing> = {}): Start<App> {
  return async (environment, onLine, clock) => {
    const read = readSettings(environment);
    if ('problems' in read) throw new Error(describeProblems(read.problems));
    const { settings } = read;
    const destination = { write: (lines: string) => lines.trimEnd().split('\n').forEach(onLine) };
    const log = createLog({ level: settings.logLevel, secrets: secretsIn(settings), destination });
    return createApp(settings, {
      log,
      clock,
      timing: { ...TIMING, lastTurnsMs: 500, lastJobsMs: 500, ...timing },
    });
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
    await closeAround();
    throw error;
  });
  const end = () => (app.kill ?? app.stop)();
  let stopped: Promise<unknown> | undefined;
  const stop = async () => {
    clock.letGo();
    stopped ??= end().finally(closeAround);
    await stopped;
    chat.replies.forEach(expectWellFormedReply);
  };
  if (TestRunner.getCurrentTest()) onTestFinished(stop);
  else afterAll(stop);

  /** The message that was said last. */
  let last: Record<string, unknown> = {};
  const activity = (text: string | undefined, changes: object = {}): Record<string, unknown> => ({
    ...messageActivity(chat.url, ''),
    text,
    ...changes,
  });

  /** Sends anything to `/api/messages`. Resolves with the answer, and the replies that came before it. */
  async function post(body: unknown, headers: OutgoingHttpHeaders | readonly string[] = JSON_TYPE) {
    const before = chat.replies.length;
    const begun = performance.now();
    const outgoing = request(`${app.url}/api/messages`, { method: 'POST', headers, agent: false });
    outgoing.on('error', () => {}); // After the response, too, the bot may end the connection.
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const text = await readText(response);
    const replies = chat.replies.slice(before);
    return {
      status: response.statusCode ?? 0,
      text,
      /** The answer's JSON; undefined without a body. */
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
      ms: performance.now() - begun,
      replies,
      texts: replies.map(textOf),
    };
  }

  function say(text: string | undefined, changes: object = {}, authorization = sign && `Bearer ${sign()}`) {
    const said = activity(text, changes);
    if (text !== undefined) last = said;
    return post(said, { ...JSON_TYPE, ...(authorization && { authorization }) });
  }

  return {
    /** The bot that runs now. */
    get app() {
      return app;
    },
    get url() {
      return app.url;
    },
    sandbox,
    chat,
    activity,
    post,
    /** Sends a message; `changes` are laid over its activity. */
    say,
    /**
     * Presses a button on the last card that has it, as Teams does, with what is typed into the card's fields. A button that
     * no card has is given by its data.
     */
    press(button: string | object, { typed = {}, ...changes }: Press = {}) {
      const card = chat.replies.findLast((each) => typeof button !== 'string' || buttonOf(each, button));
      const data = typeof button === 'string' ? card && buttonOf(card, button)?.data : button;
      if (card === undefined || data === undefined) throw new Error(`no card has the button ${button}`);
      return say(undefined, { ...pressing({ ...data, ...typed }, card), ...changes });
    },
    /** Edits the message that was said last. */
    edit(text: string, changes: object = {}) {
      const edit = { type: 'messageUpdate', channelData: { eventType: 'editMessage' } };
      const timestamp = new Date(clock.now()).toISOString();
      return say(text, { ...last, ...edit, timestamp, text, ...changes });
    },
    /** Sends an alert, as a monitoring system does, to a thread if one is named. A text is sent as `{ text }`. */
    async alert(body: object | string, { thread = '', headers = {} } = {}) {
      const response = await fetch(`${app.url}/api/alerts${thread && `/${encodeURIComponent(thread)}`}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, authorization: `Bearer ${ALERTS_TOKEN}`, ...headers },
        body: JSON.stringify(typeof body === 'string' ? { text: body } : body),
      });
      return { status: response.status, body: Object(await response.json()) };
    },
    /** Messages and edits in order of arrival. */
    replies: chat.replies,
    /** Waits for so many replies, and returns their texts. */
    async replied(count: number): Promise<string[]> {
      await until(() => expect(chat.replies.map(textOf)).toHaveLength(count));
      return chat.replies.map(textOf);
    },
    /** When the bot sent typing indicators. */
    typing: chat.typing,
    /** Makes the chat service refuse the next replies. */
    refuse: (...statuses: Array<number | Chat['refusals'][number]>) =>
      void chat.refusals.push(
        ...statuses.map((each) => (typeof each === 'number' ? { status: each } : each)),
      ),
    /** The texts that the room took. */
    posts: () => scripts.posts ?? sandbox.room.posts().map(({ text }) => text),
    /** The calls for sessions that the NAC received; the others are `sisterCalls`. */
    calls: scripts.calls ?? sandbox.nacCalls,
    sisterCalls: scripts.sisterCalls ?? sandbox.nacSisterCalls,
    /** The bot's log so far, a line an entry. */
    log,
    /** The lines of the log with this message, parsed. */
    logged: (msg: string) =>
      log.map((line): Record<string, unknown> => JSON.parse(line)).filter((line) => line.msg === msg),
    clock,
    /** Stops the bot, or kills its process, and starts it again with the same database. */
    async restart(changes?: Settings): Promise<void> {
      await end();
      app = await start(changes);
    },
    stop,
  };
}

/** Repeats a check until it passes. Other than `vi.waitFor`, it does not move time that a bot holds. */
export async function until<T>(check: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  while (true) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(5);
    }
  }
}

/** Waits until a bot's database is open. A bot can be ready without it. */
export async function untilOpen(url: string): Promise<void> {
  await until(async () => expect(await readyzOf({ url })).toMatchObject({ parts: { database: 'ok' } }));
}

type TestChat = ReturnType<typeof createChat> & { url: string; close(): Promise<unknown> };

export async function openChat() {
  const chat = createChat();
  return { ...chat, ...(await listen(chat.server)) };
}

type TestClock = ReturnType<typeof createTestClock>;

const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;

/** Clocks that begin at a given time, and that a test moves ahead; where they hold time, timers fire by them alone. */
export function createTestClock({ at, holdsTime }: Pick<BotOptions, 'at' | 'holdsTime'>) {
  let ahead = at === undefined ? 0 : Date.parse(at) - systemClock.now();
  if (holdsTime) vi.useFakeTimers({ now: systemClock.now() + ahead, toFake: [...TIMERS] });
  return {
    now: () => (holdsTime ? Date.now() : systemClock.now() + ahead),
    steady: () => (holdsTime ? Date.now() : systemClock.steady() + ahead),
    async skip(ms: number): Promise<void> {
      if (holdsTime) await vi.advanceTimersByTimeAsync(ms);
      else ahead += ms;
    },
    letGo: () => void (holdsTime && vi.useRealTimers()),
  };
}
