import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type Reply, textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { fileIn } from '../../src/store/sqlite.ts';
import { buttonsOf } from '../dialogs/cards.ts';
import { inThread, linesOf, only } from '../replies.ts';
import type { Answer } from '../scripts.ts';
import { type BotOptions, startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';

const DEVICES = [1, 2, 3, 4, 5, 6, 7].map((number) => `00:1B:54:00:70:0${number}`);
const [ONE = '', TWO = '', THREE = ''] = DEVICES;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const CONNECTED = sessionXml({});
const REJECTED = sessionXml({ passed: 'false' });

const MEGAN = { from: { id: 'user-2', name: 'Megan', aadObjectId: 'megan' } };
const THREAD = inThread('19:noc;messageid=1');

/** A bot whose NAC answers as it is told from now on; without an answer, a device has no session. */
async function startWatching(options: BotOptions = {}) {
  const answers: Record<string, Answer> = {};
  const counts = { count: 1024 };
  const nac = (address: string, path: string) =>
    path.endsWith('/ActiveCount')
      ? `<sessionCount><count>${counts.count}</count></sessionCount>`
      : path.includes('/mnt/Session/')
        ? answers[address]
        : undefined;
  const bot = await startBot({ nac, ...options, timing: { watchMs: 10, ...options.timing } });
  return Object.assign(bot, {
    answers,
    counts,
    /** Moves the clock ahead while no watch is due, and waits until none is any more. */
    async pass(ms: number): Promise<void> {
      using file = new DatabaseSync(fileIn(String(bot.sandbox.environment.DATA_DIR)), { readOnly: true });
      const open = "select seq from job where queue = 'watch' and state = 'open'";
      const busy = file.prepare(`${open} and (lease is not null or due <= $1)`);
      const settled = () => until(() => expect(busy.all({ $1: bot.clock.now() })).toEqual([]));
      await settled();
      await bot.clock.skip(ms);
      await settled();
    },
    /** From now on the NAC answers so about these devices; a minute passes. */
    async become(answer: Answer, ...devices: string[]): Promise<void> {
      for (const device of devices) answers[device] = answer;
      await this.pass(MINUTE);
    },
    audited: () => bot.logged('audit').filter(({ by }) => by === 'watch'),
  });
}

const mentionsIn = (reply: Reply) => linesOf(reply)[0];

const titlesOf = (reply: Reply) => buttonsOf(reply).map(({ title }) => title);

describe('a watch', () => {
  it('says the present state, then sends the change with a mention', async () => {
    const bot = await startWatching({ at: '2026-11-25T20:12:00Z' });
    const begun = only((await bot.say(`watch ${ONE}`, THREAD)).replies);
    expect(textOf(begun)).toBe(`Watching ${ONE} until 04:12 UTC. Now: no session.`);
    expect(titlesOf(begun)).toEqual(['Stop']);
    await bot.become(CONNECTED, ONE);
    await bot.replied(2);
    const told = bot.replies[1] as Reply;
    expect(told.conversationId).toBe('19:noc;messageid=1');
    expect(textOf(told)).toMatch(/^connected\. /);
    expect(mentionsIn(told)).toBe('<at>Alex</at>');
    expect(JSON.stringify(told.activity)).toContain('"mentioned":{"id":"user-1","name":"Alex"}');
    expect(bot.posts()).toEqual([expect.stringContaining(`${ONE} connected`)]);
    await until(() => expect(bot.audited()).toHaveLength(2));
    expect(bot.audited()).toMatchObject([
      { event: 'begin', person: '00000000-0000-0000-0000-000000000001', asked: ONE, verdict: 'no session' },
      { event: 'change', asked: ONE, verdict: 'connected', posted: 'yes', account: 'service', tokens: 2 },
    ]);
    expect(await bot.ask('watching', THREAD)).toBe('Nothing is watched here.');
  });

  it('of a connected device answers at once, or waits for its end', async () => {
    const bot = await startWatching();
    await bot.say(ONE);
    bot.answers[ONE] = CONNECTED;
    const pressed = await bot.press('Tell me when it connects');
    for (const { texts } of [pressed, await bot.say(`tell me when ${ONE} connects`)])
      expect(texts).toEqual([expect.stringMatching(/^connected\. /)]);
    expect(await bot.ask('watching')).toBe('Nothing is watched here.');
    await bot.say(`watch ${ONE}`);
    delete bot.answers[ONE];
    await bot.pass(MINUTE);
    expect(bot.replies).toHaveLength(5);
    await bot.pass(30 * SECOND);
    await bot.replied(6);
    expect(textOf(bot.replies[5] as Reply)).toMatch(/^no session\. /);
    expect(bot.posts()).toHaveLength(2);
  });

  it('is begun by a button, and stopped by anybody in the thread', async () => {
    const bot = await startWatching();
    bot.answers[TWO] = REJECTED;
    await bot.say(`${ONE} ${TWO}`, THREAD);
    await bot.press('Tell me when it connects');
    const begun = bot.replies[1] as Reply;
    expect(textOf(begun).split('\n')).toEqual([
      expect.stringMatching(`^Watching ${ONE} until .* Now: no session\\.$`),
      expect.stringMatching(`^Watching ${TWO} until .* Now: rejected\\.$`),
    ]);
    expect(titlesOf(begun)).toEqual(['Stop', 'Stop']);
    expect(textOf(only((await bot.press('Stop', MEGAN)).replies))).toBe(`Stopped watching ${ONE}.`);
    const listed = only((await bot.say('watching', THREAD)).replies);
    expect(textOf(listed)).toMatch(/^Watching .* until .*, asked by Alex\. Last: rejected\.$/);
    const stopped = await bot.ask(`unwatch ${TWO} ${THREE}`, { ...THREAD, ...MEGAN });
    expect(stopped).toBe(`Stopped watching ${TWO}.`);
    const events = bot.audited().map(({ event, person, asked }) => `${event} ${person} ${asked}`);
    const begins = [ONE, TWO].map((each) => `begin 00000000-0000-0000-0000-000000000001 ${each}`);
    expect(events).toEqual([...begins, `stop megan ${ONE}`, `stop megan ${TWO}`]);
  });

  it('is one for two people in a thread; one of them can leave it', async () => {
    const bot = await startWatching();
    await bot.say(`watch ${ONE} ${TWO}`, THREAD);
    await bot.say(`watch ${ONE} ${TWO}`, { ...THREAD, ...MEGAN });
    expect(await bot.ask('unwatch', THREAD)).toMatch(/^Stopped watching .*\nStopped watching .*$/);
    for (let time = 0; time < 2; time++) await bot.say(`watch ${ONE}`, THREAD);
    await bot.become(CONNECTED, ONE);
    await bot.replied(6);
    expect(mentionsIn(bot.replies[5] as Reply)).toBe('<at>Megan</at> <at>Alex</at>');
    expect(bot.audited().filter(({ event }) => event === 'change')).toMatchObject([{ person: 'megan' }, {}]);
  });

  it('asked privately is answered privately, and never joined', async () => {
    const bot = await startWatching();
    const privately = { ...THREAD, recipient: { id: 'bot', name: 'NAC lookup', isTargeted: true } };
    await bot.say(`watch ${ONE}`, privately);
    await bot.say(`watch ${ONE}`, { ...THREAD, ...MEGAN });
    expect(await bot.ask('watching', { ...THREAD, ...MEGAN })).toMatch(/asked by Megan\./);
    await bot.become(CONNECTED, ONE);
    await bot.replied(5);
    const targeted = bot.replies.slice(3).map(({ isTargeted }) => isTargeted);
    expect(targeted.toSorted()).toEqual([false, true]);
  });

  it('sends away to held once, with Stop, and goes on', async () => {
    const bot = await startWatching({ timing: { replies: { firstMs: 100, maxMs: 200 } } });
    await bot.say(`watch ${ONE}`);
    await bot.become(REJECTED, ONE);
    await bot.pass(30 * SECOND);
    await bot.replied(2);
    const told = bot.replies[1] as Reply;
    expect(textOf(told)).toMatch(/^rejected\. /);
    expect(titlesOf(told)).toContain('Stop');
    expect(titlesOf(told)).not.toContain('Tell me when it connects');
    bot.refuse(503); // The change waits as a reply.
    await bot.become(CONNECTED, ONE);
    await bot.replied(3);
    expect(await bot.ask('watching')).toBe('Nothing is watched here.');
  });

  it('ends after 8 hours with the last state, without a mention', async () => {
    const bot = await startWatching();
    await bot.say(`watch ${ONE}`, THREAD);
    await bot.pass(8 * HOUR);
    await bot.replied(2);
    const ended = bot.replies[1] as Reply;
    expect(textOf(ended)).toBe(`Stopped watching \`${ONE}\` after 8 hours. Last: no session.`);
    expect(ended.activity.entities).toBeUndefined();
    expect(await bot.ask('watching', THREAD)).toBe('Nothing is watched here.');
    expect(bot.audited()).toMatchObject([{ event: 'begin' }, { event: 'end', verdict: 'no session' }]);
  });
});

it('nothing is sent while the NAC sees nobody', async () => {
  const bot = await startWatching();
  bot.answers[ONE] = CONNECTED;
  await bot.say(`watch ${ONE}`);
  delete bot.answers[ONE];
  bot.counts.count = 0;
  for (let asked = 0; asked < 5; asked++) await bot.pass(MINUTE);
  expect(bot.replies).toHaveLength(1);
  expect(bot.otherCalls.filter(({ path }) => path.endsWith('/ActiveCount')).length).toBeLessThanOrEqual(5);
  bot.counts.count = 7;
  await bot.pass(MINUTE);
  await bot.pass(30 * SECOND);
  await bot.replied(2);
});

it('nothing is sent to a person who lost the right', async () => {
  const bot = await startWatching();
  await bot.say(`watch ${ONE}`, THREAD);
  await bot.say(`watch ${ONE}`, { ...THREAD, ...MEGAN });
  await bot.say(`watch ${TWO}`, THREAD);
  await bot.restart({ ALLOWED_USERS: 'megan' });
  await bot.become(CONNECTED, ONE, TWO);
  await bot.replied(4);
  expect(mentionsIn(bot.replies[3] as Reply)).toBe('<at>Megan</at>');
  const ended = () => bot.audited().filter(({ event }) => event === 'end');
  await until(() => expect(ended()).toMatchObject([{ asked: TWO }]));
  expect(bot.posts()).toHaveLength(1);
});

it('a change waits while a conversation refuses it, for an hour', async () => {
  const bot = await startWatching();
  await bot.say(`watch ${ONE}`);
  await bot.say(`watch ${ONE}`, THREAD);
  bot.refuse(...Array(10).fill(403));
  await bot.become(CONNECTED, ONE);
  await bot.pass(30 * MINUTE);
  bot.chat.refusals.splice(0, 5); // One of the two is taken from now on, the other is refused once more.
  await bot.pass(30 * MINUTE);
  await bot.replied(3);
  await until(() => expect(bot.audited().map(({ event }) => event)).toContain('end'));
  expect(bot.posts()).toHaveLength(1);
  expect(bot.calls).toHaveLength(3);
});

it('a watch under which 20 processes died ends, and says so', async () => {
  const bot = await startWatching();
  await bot.say(`watch ${ONE}`);
  await bot.pass(0);
  using file = new DatabaseSync(fileIn(String(bot.sandbox.environment.DATA_DIR)));
  file.exec("update job set deaths = 20 where queue = 'watch'");
  await bot.clock.skip(MINUTE);
  await bot.replied(2);
  expect(textOf(bot.replies[1] as Reply)).toBe(
    `Stopped watching \`${ONE}\`, because 20 processes died while it was under way. Last: no session.`,
  );
  await until(() => expect(bot.audited()).toMatchObject([{ event: 'begin' }, { event: 'end' }]));
});

it('five devices a message are watched, and five a person', async () => {
  const bot = await startWatching();
  const begun = await bot.ask(`watch ${DEVICES.join(' ')}`, THREAD);
  expect(begun.match(/Watching/g)).toHaveLength(5);
  expect(begun).toContain(`Not watched: ${DEVICES.slice(5).join(', ')}.`);
  expect(await bot.ask(`watch ${DEVICES[5]}`)).toBe(
    `I do not watch ${DEVICES[5]}, because you watch 5 devices already: stop one with unwatch.`,
  );
  expect(await bot.ask(`watch ${DEVICES[5]}`, MEGAN)).toMatch(/^Watching/);
  expect(await bot.ask(`watch ${ONE}`, THREAD)).toMatch(/^Watching/);
  await bot.say(`watch ${DEVICES[6]}`, { ...THREAD, from: MEGAN.from });
  expect(await bot.ask(`watch ${DEVICES[6]}`, THREAD)).toContain('you watch 5 devices already'); // Nor by joining.
});

it('an IP address means the device that has it now', async () => {
  const bot = await startWatching();
  bot.answers['198.51.100.23'] = sessionXml({ passed: 'false', calling_station_id: '00-1B-54-00-70-01' });
  expect(await bot.ask('watch 198.51.100.23')).toMatch(RegExp(`^Watching ${ONE} until`));
  expect(await bot.ask('watch 198.51.100.24')).toBe(
    'I do not watch 198.51.100.24, because the NAC names no device with it now (no session): please give me the MAC address.',
  );
});

it('with WATCH=0 there are neither watches nor buttons', async () => {
  const bot = await startWatching({ settings: { WATCH: '0' } });
  const answer = only((await bot.say(`tell me when ${ONE} connects`)).replies);
  expect(textOf(answer)).toMatch(/^no session\. /);
  expect(titlesOf(answer)).toEqual(['Look up again']);
  const off = 'Watching devices is off; an operator can allow it.';
  expect(textOf(answer)).toContain(off);
  expect(await bot.ask('watching')).toBe(off);
  expect((await bot.press({ dialog: 'watch', text: ONE })).texts).toEqual([expect.stringContaining(off)]);
});
