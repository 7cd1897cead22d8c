import { expect, it } from 'vitest';
import type { Reply } from '../../../src/sandbox/chat.ts';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { buttonOf, linesOf, only, transcriptOf } from '../../replies.ts';
import type { Answer } from '../../scripts.ts';
import { type BotOptions, startBot } from '../../start-bot.ts';
import { until } from '../../test-clock.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';
const AGAIN = 'Look up again';
const SESSION = sessionXml({ selected_azn_profiles: 'Corp_Access', other: {} });
const NEW = sessionXml({ selected_azn_profiles: 'New_Access', other: {} });
const REJECTED = sessionXml({ selected_azn_profiles: 'Corp_Access', other: {}, passed: 'false' });
const AT_PORT = 'connected, sw-floor2-17 Gi1/0/15';
const TOKENS_POST = `${ONE} ${AT_PORT}\nCorp_Access`;
const AT = '14:05 UTC';
const STILL = `PUT Still asking the NAC about ${ONE}.`;
const UNCHANGED = new RegExp(`\nUnchanged since ${AT}\\.$`, 'm');

/** A bot at 14:05 UTC that has answered about devices, and whose NAC answers what the test says. */
type Answers = Record<string, Answer | Promise<Answer>>;
async function answered(text: string, nac: Answers, options: BotOptions = {}) {
  const bot = await startBot({
    at: '2026-01-15T14:05:00Z',
    nac: (address, path) => (path.includes('/Session/') ? nac[address] : undefined),
    ...options,
  });
  await bot.say(text);
  await bot.clock.skip(60_000);
  return bot;
}

it.each<[string, string, number[], BotOptions, string[], posted: string]>([
  ['edits the card, and posts nothing', 'PUT', [], {}, [TOKENS_POST], 'nothing'],
  ['is answered below if the card cannot be edited', 'POST', [405], {}, [TOKENS_POST], 'nothing'],
  ['posts what the room did not take', 'PUT', [], { room: [404] }, [TOKENS_POST], 'yes'],
])('a press of "Look up again" %s', async (_, method, refusals, options, posts, posted) => {
  const bot = await answered(ONE, { [ONE]: SESSION }, options);
  bot.refuse(...refusals);
  const answer = only((await bot.press(AGAIN)).replies);
  expect(answer.method).toBe(method);
  for (const shown of [answer.activity.summary, linesOf(answer).join('\n')])
    expect(shown).toContain(`Unchanged since ${AT}.`);
  expect(bot.posts()).toEqual(posts);
  expect(bot.logged('audit')[1]).toMatchObject({ by: 'press', tokens: 1, posted });
});

it('a press says what has changed, and posts the changed alone', async () => {
  const nac = { [ONE]: SESSION, [OTHER]: REJECTED };
  const bot = await answered(`${ONE} ${OTHER}`, nac);
  nac[OTHER] = NEW;
  const answer = only((await bot.press('Look up all again')).replies);
  for (const shown of [answer.activity.summary, linesOf(answer).join('\n')])
    expect(shown).toContain(`Changed since ${AT}: ${OTHER} (was rejected).`);
  expect(bot.posts().slice(1)).toEqual([`${OTHER} ${AT_PORT}\nNew_Access`]);
});

it('a press keeps what was said for a device that is asked later', async () => {
  const nac: Record<string, Answer> = { [ONE]: SESSION };
  const bot = await answered(ONE, nac);
  nac[ONE] = 0;
  expect((await bot.press(AGAIN)).texts[0]).toContain('I keep trying for 10 minutes');
  nac[ONE] = NEW;
  await bot.clock.skip(10_000);
  expect((await bot.replied(3))[2]).toMatch(/\nChanged since .*: another place, device or tokens\.$/m);
  expect(bot.logged('audit').at(-1)).toMatchObject({ by: 'press' });
});

/** A bot whose time stands still, with a card and its button; the NAC answers the next call when the test says what. */
async function slowlyAnswered() {
  const slow = Promise.withResolvers<Answer>();
  const nac: Answers = { [ONE]: SESSION };
  const bot = await answered(ONE, nac, { holdsTime: true });
  nac[ONE] = slow.promise;
  const [card] = bot.replies;
  const button = (card && buttonOf(card, AGAIN)?.data) ?? {};
  async function press(changes: object = {}) {
    const turn = bot.press(button, { replyToId: card?.id, ...changes });
    await until(() => expect(bot.calls).toHaveLength(2));
    await bot.say('thanks'); // Once this has its answer, the press has reached the bot.
    return { turn };
  }
  const transcript = () => transcriptOf(bot.replies.filter(({ activity }) => activity.summary !== undefined));
  return { bot, press, answerSlow: slow.resolve, transcript };
}

it('a press joins the same press: one lookup, one edit, one post', async () => {
  const { bot, press, answerSlow, transcript } = await slowlyAnswered();
  const presses = [await press(), await press()];
  answerSlow(NEW);
  await Promise.all(presses.map(({ turn }) => turn));
  expect(transcript()).toHaveLength(2);
  expect([bot.calls.length, bot.posts()]).toEqual([2, [TOKENS_POST, `${ONE} ${AT_PORT}\nNew_Access`]]);
});

it('a press does not join one on another card', async () => {
  const { bot, press, answerSlow, transcript } = await slowlyAnswered();
  const presses = [await press(), await press({ replyToId: 'card-2' })];
  answerSlow(NEW);
  await Promise.all(presses.map(({ turn }) => turn));
  expect([transcript().length, bot.posts().length]).toEqual([3, 3]);
});

it('a slow press turns the card into the progress, then answers', async () => {
  const { bot, press, answerSlow, transcript } = await slowlyAnswered();
  const { turn } = await press();
  await bot.clock.skip(3000);
  await until(() => expect(transcript().slice(1)).toEqual([STILL]));
  await bot.clock.skip(5000);
  await turn;
  expect(transcript().slice(2)).toEqual([`${STILL} The answer will come here.`]);
  answerSlow(SESSION);
  await until(() => expect(transcriptOf(bot.replies).at(-1)).toBe('PUT The answer is below.'));
  expect(transcript().slice(3, -1)).toEqual([expect.stringMatching(/^POST connected/)]);
  expect(transcript()[3]).toMatch(UNCHANGED);
  const edits = bot.replies.filter(({ method }) => method === 'PUT');
  expect(new Set(edits.map(({ id }) => id))).toEqual(new Set([bot.replies[0]?.id]));
  expect(bot.posts()).toEqual([TOKENS_POST]);
});

const quick = { turnMs: 300, progressMs: 100 };
it.each([
  ['at once', {}],
  ['late', quick],
  ['by the next process', quick],
])('a press on an alert leaves its head, and posts: answered %s', async (when, timing) => {
  const nac: Answers = {};
  const bot = await answered('alerts here as noc', nac, { timing });
  await bot.alert({ title: 'Port down', mac: ONE }, { thread: 'noc' });
  await bot.replied(2);
  const slow = Promise.withResolvers<Answer>();
  nac[ONE] = when === 'at once' ? SESSION : slow.promise;
  await bot.press(AGAIN);
  nac[ONE] = SESSION;
  if (when === 'by the next process') await bot.restart();
  slow.resolve(SESSION);
  expect(buttonOf(bot.replies[1] as Reply, 'Tell me when it connects')).toBeDefined();
  const last = () => bot.replies.at(-1) as Reply;
  const end = when === 'at once' ? expect.stringMatching(/^Changed since/) : 'The answer is below.';
  await until(() => expect(linesOf(last())).toContainEqual(end));
  expect(last().id).toBe(bot.replies[1]?.id);
  expect(linesOf(last()).slice(0, 2)).toEqual(['Alert firing', 'Port down']);
  expect(transcriptOf(bot.replies).join()).toMatch(/Changed since .*: was no session\./);
  expect(bot.posts().slice(1)).toEqual([TOKENS_POST]);
  expect(bot.logged('audit').at(-1)).toMatchObject({ by: 'press' });
});
