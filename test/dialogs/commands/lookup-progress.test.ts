import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { TEXT, transcriptOf } from '../../replies.ts';
import type { Answer } from '../../scripts.ts';
import { metricsOf, opsPort } from '../../serve.ts';
import { type BotOptions, NO_DATABASE, startBot } from '../../start-bot.ts';
import { openFaultyProxy } from '../../store/faulty-proxy.ts';
import { newDatabase, runIn } from '../../store/postgres.ts';
import { until } from '../../test-clock.ts';

const FAST = '00:1B:54:00:00:01';
const SLOW = '00:1B:54:00:00:02';
const NO_NODE = { ENDPOINTS_URL: '', ENDPOINTS_USERNAME: '', ENDPOINTS_PASSWORD: '' };
const ANSWERED = 'nac_lookup_bot_lookup_duration_seconds_count{outcome="no session"}';

const NO_SESSION = 'The NAC knows of no current session. Is the device plugged in and awake?';
const PROGRESS = `1 of 2 answered so far.\n\n\`${FAST}\`: no session. ${NO_SESSION}\n\n\`${SLOW}\`: still asking`;
const ASKING_ONE = `Still asking the NAC about \`${SLOW}\`.`;
const STILL_ONE = `${ASKING_ONE} The answer will come here.`;
const ANSWER_IS_BELOW = 'PUT The answer is below.';
const RESULT = `2 devices: 2 no session.\n\n${NO_SESSION}\n\n\`${FAST}\`: no session.\n\n\`${SLOW}\`: no session.`;
const ALONE = expect.stringMatching(/^(?:POST|PUT) `00:1B:54:00:00:02`: no session\./);

/** Asks a bot whose time stands still, until the slow device alone is not answered. */
async function begin(text: string, { settings, ...options }: BotOptions = {}) {
  const slow = Promise.withResolvers<Answer | undefined>();
  const bot = await startBot({
    at: '2026-01-15T14:05:00Z',
    holdsTime: true,
    nac: (address, path) => (address === SLOW && path.includes('/Session/') ? slow.promise : undefined),
    settings: { NAC_HISTORY: '0', PERSONAL_SIGN_IN: '', ...NO_NODE, OPS_PORT: await opsPort(), ...settings },
    ...options,
  });
  await bot.say('AA:BB:CC:DD:EE:FF'); // Others would wait for the account's first call.
  for (const list of [bot.replies, bot.log]) list.splice(0);
  const turn = bot.say(text, { ...TEXT, id: 'question-1' });
  await until(async () => {
    expect(bot.calls.some(({ path }) => path.endsWith(SLOW))).toBe(true);
    expect((await metricsOf(bot.app))[ANSWERED]).toBe(bot.calls.length - 1);
  });
  return { bot, turn, answerSlow: slow.resolve, transcript: () => transcriptOf(bot.replies) };
}

const BOTH = `${FAST} ${SLOW}`;

it('several devices are answered in one message within three seconds', async () => {
  const { bot, turn, answerSlow } = await begin(BOTH);
  await bot.clock.skip(2999);
  answerSlow(undefined);
  expect((await turn).texts).toEqual([RESULT]);
});

it.each([
  ['replaces it', [], [`POST ${PROGRESS}`, `PUT ${RESULT}`]],
  ['is a new message if it cannot be replaced', [405], [`POST ${PROGRESS}`, `POST ${RESULT}`]],
])('several devices show progress after three seconds; the answer %s', async (_, refusals, transcript) => {
  const { bot, turn, answerSlow } = await begin(BOTH);
  await bot.clock.skip(3000);
  await bot.replied(1);
  bot.refuse(...refusals);
  answerSlow(undefined);
  expect(transcriptOf((await turn).replies)).toEqual(transcript);
  if (refusals.length === 0) expect(bot.replies[1]?.id).toBe(bot.replies[0]?.id);
});

it('a second process that is asked the same answers no more', async () => {
  const settings = { DATABASE_URL: await newDatabase() };
  const one = await begin(BOTH, { settings });
  await one.bot.clock.skip(3000);
  await one.bot.clock.skip(5000);
  expect((await one.turn).texts.at(-1)).toBe(`${PROGRESS}\n\nThe answer will come here.`);
  const other = await begin(BOTH, { settings });
  await other.bot.clock.skip(3000);
  await other.bot.replied(1);
  await other.bot.clock.skip(5000);
  expect(transcriptOf((await other.turn).replies)).toEqual([expect.stringContaining('1 of 2 answered')]);
  other.answerSlow(undefined);
  await other.bot.ask(SLOW); // Answers after the second process' own lookup.
  expect(other.bot.logged('audit')).toHaveLength(1);
});

describe('one device that takes a while', () => {
  it('is named after three seconds; a late answer stands below its name', async () => {
    const { bot, turn, answerSlow, transcript } = await begin(SLOW);
    await bot.clock.skip(3000);
    await bot.replied(1);
    bot.refuse(503); // So the chat service takes the turn's last words after the NAC's answer.
    await bot.clock.skip(5000);
    answerSlow(undefined);
    await turn;
    await bot.replied(4);
    expect(transcript()).toEqual([`POST ${ASKING_ONE}`, `PUT ${STILL_ONE}`, ALONE, ANSWER_IS_BELOW]);
    expect(new Set(bot.replies.map(({ id }) => id)).size).toBe(2);
    const times = { askedAt: '2026-01-15T14:05:00.000Z', answeredAt: expect.stringMatching(/T14:05:0[89]/) };
    expect(bot.logged('audit')).toMatchObject([times]);
  });

  it('is answered in a new message if those that name it were refused', async () => {
    const { bot, turn, answerSlow, transcript } = await begin(SLOW);
    bot.refuse(400, 400);
    await bot.clock.skip(8000);
    expect((await turn).texts).toEqual([]); // A later try would come after the answer.
    answerSlow(undefined);
    await bot.replied(1);
    expect(transcript()).toEqual([expect.stringMatching(/^POST .*no session/)]);
  });

  it('is shown while the room is slow, and answered after the post', async () => {
    const posting = Promise.withResolvers<undefined>();
    const room = vi.fn(() => posting.promise);
    const { bot, turn, answerSlow, transcript } = await begin(SLOW, { room });
    answerSlow(sessionXml({}));
    await until(() => expect(room).toHaveBeenCalledOnce());
    await bot.clock.skip(3000);
    await bot.replied(1);
    await bot.clock.skip(5000);
    await turn;
    const shown = expect.stringMatching(
      /`00:1B:54:00:00:02`: connected[\s\S]*\n`Corp_[\s\S]* still posting to the room\.$/,
    );
    expect(transcript()).toEqual([shown, shown]);
    posting.resolve(undefined);
    expect((await bot.replied(4))[2]).toContain('were posted to the room');
  });

  it('is asked for again if the NAC is down after the turn', async () => {
    const { bot, turn, answerSlow, transcript } = await begin(SLOW);
    await bot.clock.skip(8000);
    await turn;
    answerSlow(0);
    expect((await bot.replied(4))[2]).toContain('I keep trying for 10 minutes');
    await bot.clock.skip(5000);
    await until(() => expect(bot.calls).toHaveLength(3));
    expect(transcript()).toHaveLength(4); // The NAC is still down.
  });

  it('is answered in the turn, however late, if no job can be stored', async () => {
    const { bot, turn, answerSlow } = await begin(SLOW, NO_DATABASE);
    await bot.clock.skip(8000);
    await bot.clock.skip(11_000);
    answerSlow(undefined);
    expect(transcriptOf((await turn).replies)).toEqual([`POST ${ASKING_ONE}`, ALONE]);
  });
});

it('a late answer has its post in the database, in case its process dies', async () => {
  const url = await newDatabase();
  const { bot, turn, answerSlow } = await begin(SLOW, { settings: { DATABASE_URL: url } });
  await bot.clock.skip(8000);
  await turn;
  answerSlow(sessionXml({}));
  await bot.replied(4);
  const posts = "select state from nac_lookup_bot.job where queue = 'post'";
  expect(await runIn(url, posts)).toEqual([{ state: 'done' }]);
});

const STATES = "select state from nac_lookup_bot.job where queue = 'lookup'";

it('a lookup whose job cannot be ended is answered once', async () => {
  const url = await newDatabase();
  const proxy = await openFaultyProxy(url);
  const settings = { DATABASE_URL: proxy.url };
  const { bot, turn, answerSlow } = await begin(SLOW, { settings });
  await bot.clock.skip(8000);
  expect((await turn).texts).toEqual([ASKING_ONE, STILL_ONE]);
  proxy.stall();
  answerSlow(undefined);
  await bot.replied(4);
  proxy.goOn();
  await expect.poll(() => runIn(url, STATES)).toEqual([{ state: 'done' }]);
  expect([bot.replies.length, bot.calls.length, bot.logged('audit').length]).toEqual([4, 2, 1]);
});

it('a lookup whose job is stored too late is answered once', async () => {
  const url = await newDatabase();
  const options = { settings: { DATABASE_URL: url }, timing: { leaseMs: 1000 } };
  const { bot, turn, answerSlow } = await begin(SLOW, options);
  const locking = new pg.Client(url);
  await locking.connect();
  await locking.query('begin; lock table nac_lookup_bot.job');
  await bot.clock.skip(8000);
  await until(async () => expect(await runIn(url, WAITING)).toHaveLength(1));
  await bot.clock.skip(3000);
  answerSlow(undefined);
  await bot.replied(2);
  await locking.query('commit');
  await locking.end();
  expect(transcriptOf((await turn).replies)).toEqual([`POST ${ASKING_ONE}`, ALONE]);
  const statesLater = async () => {
    await bot.clock.skip(10_000); // A worker may have to end the job, once its lease is over.
    return runIn(url, STATES);
  };
  await expect.poll(statesLater).toEqual([{ state: 'done' }]);
  expect([bot.replies.length, bot.calls.length, bot.logged('audit').length]).toEqual([2, 2, 1]);
});

const WAITING = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert%'";
