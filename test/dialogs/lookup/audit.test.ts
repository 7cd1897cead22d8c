import { expect, it } from 'vitest';
import * as keys from '../../../dialogs/lookup/report.ts';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { linesOf, only, TEXT } from '../../replies.ts';
import { type BotOptions, startBot } from '../../start-bot.ts';
import { until } from '../../test-clock.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';
const SESSION = sessionXml({});
const MANY = Array.from({ length: 10_000 }, (_, index) => `Token_${index}:`).join('');
const ALEX = '00000000-0000-0000-0000-000000000001';
const QUESTION = { id: 'message-1' };
const KEY = '["personal-chat","message-1"]';
const NUMBER = keys.reportNumber(KEY);

it('an audit has a line a device: who asked what, where and when', async () => {
  const at = '2026-01-15T14:05:00.000Z';
  const bot = await startBot({ nac: { [ONE]: SESSION }, at, holdsTime: true });
  await bot.say(`${ONE} ${OTHER} FF:FF:FF:FF:FF:FF`, QUESTION);
  const who = { number: NUMBER, by: 'message', person: ALEX, conversation: 'personal-chat' };
  const same = { ...who, account: 'service', askedAt: at, answeredAt: at };
  const none = { outcome: 'no session', verdict: 'no session', tokens: 0, posted: 'nothing' };
  expect(bot.logged('audit')).toMatchObject([
    { ...same, asked: ONE, address: ONE, outcome: 'found', verdict: 'connected', tokens: 2, posted: 'yes' },
    { ...same, asked: OTHER, address: OTHER, ...none },
  ]);
});

it.each<[string, BotOptions, object]>([
  ['a post that waits', { nac: () => SESSION, room: [503] }, { posted: 'later' }],
  ['a post that was refused', { nac: () => SESSION, room: [404] }, { posted: 'no' }],
  ["a refusal of the bot's account", { nac: () => 403 }, { account: 'service' }],
  ['tokens without a place', { nac: () => sessionXml({ response: MANY }) }, { tokens: 10_002 }],
])('an audit counts and names %s', async (_, options, line) => {
  const bot = await startBot(options);
  await bot.say(ONE);
  expect(bot.logged('audit')).toMatchObject([line]);
});

it.each([
  ['a session', SESSION, { outcome: 'found' }],
  ['a refusal', 403, { outcome: 'forbidden' }],
])("an audit names a person's account behind %s, for that person alone", async (_, answer, line) => {
  const bot = await startBot({ nac: { [ONE]: answer } });
  await bot.say('connect');
  await bot.press('Connect', { typed: { username: 'alex', password: 'alex' } });
  await bot.say(ONE);
  await bot.say(ONE, { from: { id: 'user-2' } });
  const [own, others] = ['own', 'service'].map((account) => ({ account, ...line }));
  expect(bot.logged('audit')).toMatchObject([own, others]);
  expect(bot.calls.map(({ username }) => username)).toEqual(['alex', 'sandbox']);
  expect(bot.posts().join()).not.toContain('own account');
});

it('a device that is asked again has an audit line for each answer', async () => {
  const bot = await startBot({ nac: { [ONE]: 0, [OTHER]: SESSION } });
  await bot.say(`${ONE} ${OTHER}`, QUESTION);
  expect(bot.logged('audit')).toMatchObject([{ asked: ONE }, { asked: OTHER }]);
  await bot.clock.skip(600_000);
  await until(() => expect(bot.logged('audit')).toHaveLength(3));
  const [first, , last] = bot.logged('audit');
  const { askedAt } = first ?? {};
  expect(last).toMatchObject({ number: NUMBER, asked: ONE, outcome: 'unreachable', askedAt });
  expect(last).not.toHaveProperty('account');
  expect((await bot.replied(2))[1]).toContain(`Report number ${NUMBER}.`);
});

it('the number stands once in text, notification and card', async () => {
  const bot = await startBot({ nac: () => 403 });
  const text = await bot.ask(`${ONE} ${OTHER}`, TEXT);
  const card = only((await bot.say(`${ONE} ${OTHER}`)).replies);
  for (const shown of [text, String(card.activity.summary), linesOf(card).join('\n')])
    expect(shown.match(/Report number \d{6}\. Tell it to the bot's operator\./g)).toHaveLength(1);
});

/** Computed once: jobs outlive a release. */
it('the number of a lookup has six digits, the same in every process', () => {
  expect(keys.reportNumber('["chat","1"]')).toBe(568_996);
  const numbers = Array.from({ length: 1000 }, (_, index) => keys.reportNumber(`["chat","${index}"]`));
  expect(numbers.every((each) => each >= 100_000 && each <= 999_999)).toBe(true);
  expect(new Set(numbers).size).toBeGreaterThan(990);
});

it('a lookup and all that becomes of it have one number', () => {
  const later = keys.laterKey(KEY);
  const all = [KEY, later, `${later} given up`, keys.postKey(later, 'x'), keys.postKey(KEY, '1 2')];
  expect(new Set(all.map(keys.reportNumber)).size).toBe(1);
});
