import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { nameChannel } from '../../e2e/alertmanager.ts';
import { inThread, TEXT, transcriptOf } from '../../replies.ts';
import type { Answer } from '../../scripts.ts';
import { NO_DATABASE, startBot } from '../../start-bot.ts';
import { newDatabase } from '../../store/postgres.ts';
import { until } from '../../test-clock.ts';

const ONE = 'AA:BB:CC:DD:EE:FF';
const OTHER = '00:1B:54:00:00:01';
const IP = '198.51.100.23';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NUMBER = /Report number \d{6}\. Tell it to the bot's operator\.$/;
const UNREACHABLE = 'The NAC or the network between is down, or NAC_URL is wrong.';
const OLD = 'it is 24 hours old.';

it('a stored lookup is tried again until every device is answered', async () => {
  const nac: Record<string, Answer | undefined> = { [ONE]: 0, [IP]: 0 };
  const bot = await startBot({ nac });
  await bot.say(`lookup ${ONE} ${IP}`, { ...TEXT, ...inThread('19:team'), id: 'question-1' });
  nac[ONE] = sessionXml({});
  await bot.clock.skip(10_000);
  await until(() => expect(bot.calls).toHaveLength(4));
  nac[IP] = undefined;
  await bot.clock.skip(10_000);
  const [, answer] = await bot.replied(2);
  expect(answer).toMatch(/^<at>Alex<\/at> {2}\n2 devices: 1 no session, 1 connected\./);
  expect(bot.replies[1]?.replyToId).toBe('question-1');
  expect(bot.calls).toHaveLength(6);
  expect(bot.calls.filter(({ path }) => path.endsWith(`EndPointIPAddress/${IP}`))).toHaveLength(3);
});

it('a stored lookup is given up after ten minutes, and says so once', async () => {
  const bot = await startBot({ at: '2026-01-15T14:05:00Z', nac: () => 0 });
  await bot.say(`${ONE} ${OTHER}`, TEXT);
  await bot.clock.skip(10 * MINUTE);
  const [, text = ''] = await bot.replied(2);
  expect(text.replace(NUMBER, 'N').split('\n\n')).toEqual([
    '2 devices: 2 not known.',
    UNREACHABLE,
    ...[ONE, OTHER].map((each) => `\`${each}\`: the NAC could not be reached.`),
    'I tried for 10 minutes and gave up. Please look up again later.',
    'N',
  ]);
});

it('a process whose clock is 25 hours ahead gives up no job of another', async () => {
  const settings = { DATABASE_URL: await newDatabase() };
  const nac: Record<string, Answer> = { [ONE]: sessionXml({}), [OTHER]: 0 };
  const bot = await startBot({ nac, room: () => 503, settings });
  await bot.say(`lookup ${ONE} ${OTHER}`, TEXT);
  const at = new Date(Date.now() + DAY + 60 * MINUTE).toISOString();
  const calls: string[] = [];
  const ahead = await startBot({ at, settings, nac: (address) => (calls.push(address) > 1 ? undefined : 0) });
  await bot.app.stop();
  expect((await bot.replied(2))[1]).toMatch(/^`00:1B:54:00:00:01`: no session\./);
  await until(() => expect(ahead.posts()).toHaveLength(1));
  expect(calls.slice(0, 2)).toEqual([OTHER, OTHER]);
});

it('a stored lookup of a NAC that is left alone is given up, too', async () => {
  const bot = await startBot({ nac: () => 0 });
  for (let count = 0; count < 6; count++) await bot.say(`00:1B:54:00:00:0${count}`, TEXT);
  await bot.clock.skip(10 * MINUTE);
  const texts = await bot.replied(12);
  const words = 'The NAC was down all the time, so I gave up after 10 minutes. Please look up again later.';
  expect(texts.filter((text) => text.includes(words)).length).toBeGreaterThan(3);
});

it.each([
  ['stored', {}, 'I keep trying for 10 minutes; the answer will come here.'],
  ['asked again by its person', NO_DATABASE, 'Please look up again in a minute.'],
])('a stored lookup promises that it is %s, as it is', async (_, options, promise) => {
  const bot = await startBot({ nac: () => 0, ...options });
  const text = await bot.ask(`lookup ${ONE}`, TEXT);
  const silent = `\`${ONE}\`: the NAC could not be reached. ${UNREACHABLE}`;
  expect(text.replace(NUMBER, 'N')).toBe(`${silent}\n\n${promise}\n\nN`);
  expect(bot.logged('audit')).toHaveLength(1);
});

it('what was given up is reported where it was asked, with its number', async () => {
  const bot = await startBot({ nac: () => 0 });
  await bot.say(`lookup ${ONE}`, { ...TEXT, ...inThread('19:team') });
  await bot.clock.skip(DAY);
  const [, text = ''] = await bot.replied(2);
  expect(text).toMatch(/^<at>Alex<\/at> {2}\nI gave up a lookup \(`AA:BB:CC:DD:EE:FF`\): /);
  const { number } = bot.logged('a job was given up')[0] ?? {};
  expect(text).toContain(`${OLD} Please ask again. Report number ${number}.`);
  expect(bot.posts()).toEqual([]);
});

const ALERT = { version: 1, key: 'k', data: { thread: 'noc', addresses: [ONE] } };
const NOWHERE = { ...ALERT, data: { addresses: [ONE] } };

it.each([
  ['lookup', 'room', 'x', 'I gave up a lookup: '],
  ['alert', 'thread', ALERT, `I gave up an alert (\`${ONE}\`): `],
  ['alert', 'room', NOWHERE, `I gave up an alert (${ONE})`],
])('a job that cannot be read is given up and reported: %s, in the %s', async (queue, where, data, words) => {
  const bot = await startBot({ nac: () => 0 });
  await nameChannel(bot);
  await bot.say(OTHER);
  const file = new DatabaseSync(join(bot.sandbox.environment.DATA_DIR ?? '', 'nac-lookup-bot.db'));
  file.prepare('update job set queue = ?, data = ?').run(queue, JSON.stringify(data));
  file.close();
  await bot.clock.skip(10_000);
  const told = () => (where === 'room' ? bot.posts() : transcriptOf(bot.replies).slice(1));
  await until(() => expect(told()).toEqual([expect.stringContaining(words)]));
  expect(told()[0]).toMatch(queue === 'alert' ? /Please look the devices up yourself/ : /Please ask again/);
});
