import { expect, it } from 'vitest';
import { shownIn, textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { linesOf, only, transcriptOf } from '../replies.ts';
import { metricsOf, opsPort } from '../serve.ts';
import { FAST, startBot, startBotProcess } from '../start-bot.ts';
import { until } from '../test-clock.ts';
import { alertmanager, NOC, nameChannel } from './alertmanager.ts';

const ADDRESS = 'AA:BB:CC:DD:EE:FF';
const FORBIDDEN = '00:1B:54:00:04:03';
const DEVICE = '00:1B:54:00:00:31';
const TOKENS = ['Corp_Wired_Access', 'Basic_Authenticated_Access'];
const POSTED = 'The tokens were posted to the room.';

it('a lookup has one call, a card, a summary, and a post of its tokens', async () => {
  const bot = await startBot();
  const answer = only((await bot.say(`lookup ${ADDRESS}`)).replies);
  expect(answer.activity).toMatchObject({ type: 'message', from: { id: 'bot' } });
  expect(answer.activity).not.toHaveProperty('text');
  const first = `connected. alex, sw-floor2-17 Gi1/0/15, 3 hours ago, ${ADDRESS}`;
  expect(answer.activity.summary).toBe([first, ...TOKENS, POSTED].join('\n'));
  const lines = linesOf(answer);
  expect([...lines.slice(0, 3), lines.at(-1)]).toEqual(['Connected', ADDRESS, 'User: alex', POSTED]);
  expect(bot.posts()).toEqual([[`${ADDRESS} connected, sw-floor2-17 Gi1/0/15`, ...TOKENS].join('\n')]);
  expect([bot.calls.length, bot.otherCalls]).toEqual([1, []]);
});

it('a silent bot logs the audit alone, of a person and of an alert', async () => {
  const bot = await startBot({ settings: { LOG_LEVEL: 'silent' } });
  await bot.say(`lookup ${ADDRESS}`);
  await nameChannel(bot);
  await bot.alert(`port down ${FORBIDDEN}`, NOC);
  await until(() => expect(bot.log).toHaveLength(2));
  const alert = { by: 'alert', alert: 'noc', conversation: '19:noc@thread.tacv2', posted: 'yes' };
  expect(bot.logged('audit')).toMatchObject([{ asked: ADDRESS }, { asked: FORBIDDEN, ...alert }]);
  await bot.restart({ AUDIT: '0' });
  expect(await bot.ask(`lookup ${FORBIDDEN}`)).toMatch(/^Report number \d{6}\./m);
  expect(bot.log).toHaveLength(2);
});

it.each(['lookup', 'alert'])('each line about a %s and its jobs has one number', async (way) => {
  const bot = await startBot({ ...FAST, settings: { WEBHOOK_TOKEN: 'gone' } });
  await nameChannel(bot);
  if (way === 'alert') await bot.alert(`port down ${FORBIDDEN}`, NOC);
  else await bot.say(`lookup ${ADDRESS} ${FORBIDDEN}`);
  await until(() => expect(bot.logged('audit')).not.toEqual([]));
  await until(() => expect(bot.logged('not posted')).not.toEqual([]));
  const number = bot.logged('audit')[0]?.number;
  const failed = { number, level: 30, asked: FORBIDDEN, outcome: 'forbidden' };
  expect(bot.logged('a lookup failed')).toMatchObject([failed]);
  expect(bot.logged('not posted')).toMatchObject([{ number, level: 30, outcome: 'not found' }]);
  if (way === 'lookup')
    expect(bot.replies.map(({ activity }) => activity.summary).join()).toContain(` ${number}.`);
});

it('an edit of a message that became a job silences the job', async () => {
  const slow = Promise.withResolvers<string>();
  const nac = (address: string) => (address === DEVICE ? slow.promise : sessionXml({}));
  const settings = { OPS_PORT: await opsPort() };
  const bot = await startBot({ nac, settings, timing: { progressMs: 50, turnMs: 200 } });
  await bot.say('lookup 00:1B:54:00:00:01'); // The first call goes alone, until the password is accepted.
  const asked = await bot.say(`lookup ${DEVICE}`);
  const edited = await bot.edit('lookup AA:BB:CC:DD:EE:FF');
  expect(edited.replies.every(({ id }) => id === asked.replies[0]?.id)).toBe(true);
  slow.resolve(sessionXml({}));
  const found = 'nac_lookup_bot_lookup_duration_seconds_count{outcome="found"}';
  await until(async () => expect((await metricsOf(bot.app))[found]).toBe(3)); // The slow one, too.
  expect(await bot.ask('status')).not.toContain('Lookups: ');
  expect(bot.posts().slice(1)).toEqual([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
  expect(await bot.ask('recent')).not.toContain(DEVICE);
  const shown = shownIn(bot.replies).filter(({ id }) => id === asked.replies[0]?.id);
  expect(shown.map(textOf)).toEqual([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
});

const SLOW = '00:1B:54:00:00:07';

it('a late lookup is resumed if its process dies; a repeat is left to it', async () => {
  const bot = await startBotProcess();
  const question = { id: 'slow-2', timestamp: new Date().toISOString() };
  await bot.say(`lookup ${SLOW}`, question);
  await bot.restart();
  const restarted = Date.now();
  expect(await bot.say(`lookup ${SLOW}`, question)).toMatchObject({ status: 200, texts: [] });
  await until(() => expect(bot.replies).toHaveLength(4));
  const activity = { replyToId: 'slow-2', summary: expect.stringContaining('connected. megan,') };
  expect(bot.replies[2]).toMatchObject({ method: 'POST', activity });
  expect(Date.now() - restarted).toBeLessThan(30_000); // 20 s, plus the 10 s that this device takes.
  expect(bot.posts()).toHaveLength(1);
});

it.each([
  ['taken at last', [503], 2],
  ['given up, and now taken', [503, 404], 3],
])('a post is reported by a repeat of its alert as %s', async (_, statuses, count) => {
  const bodies: string[] = [];
  const room = (text: string) => statuses[bodies.push(text) - 1];
  const bot = await startBot({ ...FAST, room });
  await nameChannel(bot);
  const isSaid = (words: RegExp) =>
    until(() => expect(transcriptOf(bot.replies).some((each) => words.test(each))).toBe(true));
  await bot.alert(alertmanager('firing', [ADDRESS]), NOC);
  await isSaid(/^POST Alert firing[\s\S]* I keep trying for 24 hours\./);
  await (count === 2
    ? until(() => expect(bodies).toHaveLength(2))
    : isSaid(/gave up a post to the room \(.*\): not found\. Please tell /));
  await bot.alert(alertmanager('firing', [ADDRESS]), NOC);
  await isSaid(/^PUT [\s\S]* reported 2 times[\s\S]* posted to the room/);
  expect(bodies).toHaveLength(count);
  expect(bodies.at(-1)).toContain('Corp_Wired_Access');
  const numbers = transcriptOf(bot.replies).flatMap((each) => each.match(/Report number \d+/) ?? []);
  expect(new Set(numbers).size).toBe(1);
});
