import { once } from 'node:events';
import { expect, it } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { type AnyBot, type Bot, startBot, startBotProcess } from '../start-bot.ts';
import { newDatabase, runIn } from '../store/postgres.ts';
import { until } from '../test-clock.ts';
import { alertmanager, CHANNEL, NOC, nameChannel } from './alertmanager.ts';

const [REJECTED, CONNECTED, SLOW] = ['00:1B:54:00:00:03', '00:1B:54:00:00:02', '00:1B:54:00:00:07'];

it('alerts of one group share a message, and the room has each change', async () => {
  const bot = await startBot();
  await nameChannel(bot);
  await bot.alert(alertmanager('firing', [REJECTED]), NOC);
  await until(() => expect(states(bot)).toEqual(['POST firing']));
  await bot.alert(alertmanager('firing', [REJECTED]), NOC);
  await until(() => expect(states(bot)).toEqual(['POST firing', 'PUT firing, reported 2 times']));
  await bot.alert(alertmanager('firing', [REJECTED, CONNECTED]), NOC);
  await until(() => expect(states(bot).slice(2)).toEqual(['PUT firing, reported 3 times']));
  await bot.alert(alertmanager('resolved', [REJECTED, CONNECTED]), NOC);
  await until(() => expect(states(bot).slice(3)).toEqual(['PUT resolved, reported 3 times', 'POST line']));
  const [first, ...others] = bot.replies;
  expect(JSON.stringify(first?.activity)).toMatch(
    /Source: .*Alertmanager.*Severity: .*critical.*Since: .*Link: .*prometheus\.example.*Open the alert/,
  );
  const ended =
    /^Resolved after \d+ \w+; still not well: `?00:1B:54:00:00:03`? \(rejected\) · `?Port Gi1.* is down`?$/;
  expect(textOf(others.pop() ?? expect.unreachable())).toMatch(ended);
  expect(new Set(others.map(({ method, id }) => `${method} ${id}`))).toEqual(new Set([`PUT ${first?.id}`]));
  expect(new Set(bot.replies.map(({ conversationId }) => conversationId))).toEqual(new Set([CHANNEL]));
  expect(bot.posts()).toEqual([
    expect.stringMatching(/^Alert firing: [\s\S]*:03 rejected/),
    expect.stringMatching(
      /^Alert firing: [\s\S]*\n\n00:1B:54:00:00:02 connected, [\s\S]*\n\nNothing else has changed\.$/,
    ),
    expect.stringMatching(ended),
  ]);
});

it('an audit says later for each alert whose post waits', async () => {
  const bot = await startBot({ room: () => 503 });
  await nameChannel(bot);
  for (const count of [1, 2]) {
    await bot.alert(alertmanager('firing', [CONNECTED]), NOC);
    await until(() => expect(bot.logged('audit')).toHaveLength(count));
    await bot.clock.skip(120_000); // Then the device is asked again.
  }
  expect(bot.logged('audit').map(({ posted }) => posted)).toEqual(['later', 'later']);
});

it('an alert has a new message where the channel refuses an edit', async () => {
  const bot = await startBot();
  await nameChannel(bot);
  await bot.alert(alertmanager('firing', [REJECTED]), NOC);
  await until(() => expect(states(bot)).toEqual(['POST firing']));
  bot.refuse(403);
  await bot.alert(alertmanager('resolved', []), NOC); // The end needs to name no device.
  await until(() => expect(states(bot).slice(1)).toEqual(['POST resolved']));
  await bot.alert(alertmanager('firing', [REJECTED]), NOC);
  await until(() => expect(states(bot).slice(2)).toEqual(['PUT firing, reported 2 times', 'POST line']));
  expect(bot.replies[2]?.id).toBe(bot.replies[1]?.id);
  expect(bot.posts()).toEqual([
    expect.stringMatching(/^Alert firing: /),
    expect.stringMatching(/^Resolved after .*$/),
    expect.stringMatching(/^Alert firing: [\s\S]*\n\nNothing else has changed\.$/),
  ]);
  await bot.alert(alertmanager('firing', [CONNECTED]), NOC);
  await until(() => expect(bot.posts()).toHaveLength(4));
  expect(bot.posts()[3]).toMatch(/\n\n00:1B:54:00:00:02 .*\n\nNo longer in the alert: 00:1B:54:00:00:03\.$/s);
});

it('a process killed at an alert posts it at most once more', async () => {
  const bot = await startBotProcess();
  await nameChannel(bot);
  const posting = once(bot.chat.server, 'request');
  await bot.alert(alertmanager('firing', [SLOW]), NOC);
  await posting; // The kill itself must come at once.
  await bot.restart();
  await until(() => expect(states(bot).at(-1)).toMatch(/firing/));
  await bot.alert(alertmanager('firing', [SLOW]), NOC);
  await until(() => expect(states(bot).at(-1)).toBe('PUT firing, reported 2 times'));
  const cards = bot.replies.filter(({ method }) => method === 'POST').map(({ id }) => id);
  expect(cards.length).toBeLessThanOrEqual(2);
  expect(bot.posts().length).toBeLessThanOrEqual(2);
  await bot.alert(alertmanager('resolved', [SLOW]), NOC);
  await bot.restart();
  await until(() => expect(states(bot).slice(-2)).toEqual(['PUT resolved, reported 2 times', 'POST line']));
  expect(bot.replies.at(-2)?.id).toBe(cards.at(-1));
  expect(states(bot).filter((each) => each.startsWith('POST'))).toHaveLength(cards.length + 1);
});

it('two replicas share one message for alerts of one incident', async () => {
  const DATABASE_URL = await newDatabase();
  const bot = await startBot({ settings: { DATABASE_URL } });
  const other = await startBot({ settings: { ...bot.sandbox.environment, DATABASE_URL } });
  await nameChannel(bot);
  const firing = alertmanager('firing', [REJECTED]);
  await Promise.all([bot, other, bot, other, bot, other].map((each) => each.alert(firing, NOC)));
  await settled(DATABASE_URL);
  const opened = expect.stringMatching(/^POST firing(?:, reported \d times)?$/);
  expect(states(bot).filter((each) => each.startsWith('POST'))).toEqual([opened]);
  expect(new Set(bot.replies.map(({ id }) => id)).size).toBe(1);
  expect(bot.posts()).toHaveLength(1);
  await Promise.all([bot.restart(), other.stop()]);
  await bot.alert(alertmanager('resolved', [REJECTED]), NOC);
  await settled(DATABASE_URL);
  expect(states(bot).slice(-2)).toEqual([expect.stringMatching(/^PUT resolved/), 'POST line']);
  expect(bot.posts()).toHaveLength(2);
});

const LEFT = "select from nac_lookup_bot.job where queue = 'alert' and state = 'open'";

const settled = (url: string) => until(async () => expect(await runIn(url, LEFT)).toEqual([]));

/** Each reply's method, and the alert's state in it; `line` for a reply that is no alert. */
function states({ replies }: Pick<Bot<AnyBot>, 'replies'>): string[] {
  return replies.map((each) => {
    const [, state] = /^Alert (\w+)/.exec(textOf(each)) ?? [];
    const [told = ''] = /, reported \d+ times/.exec(textOf(each)) ?? [];
    return `${each.method} ${state === undefined ? 'line' : `${state}${told}`}`;
  });
}
