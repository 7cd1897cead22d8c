import { once } from 'node:events';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import type { RunningBot } from '../../src/sandbox/sandbox.ts';
import { openProcessStage, openStage, type Stage } from '../stage.ts';
import { newDatabase, runIn } from '../store/postgres.ts';
import { ALERTS_TOKEN, CHANNEL, nameChannel, sendGroup } from './alert-stage.ts';

const LONG = { timeout: 60_000, interval: 100 };
const [REJECTED, CONNECTED, SLOW] = ['00:1B:54:00:00:03', '00:1B:54:00:00:02', '00:1B:54:00:00:07'];

let stage: Stage | Stage<RunningBot>;
afterEach(() => stage.close());

/** A stage whose channel has the name `noc`, and no reply yet. */
async function open(
  settings: Record<string, string> = {},
  openOne: typeof openStage | typeof openProcessStage = openStage,
): Promise<void> {
  stage = await openOne({ ALERTS_TOKEN, ...settings });
  await nameChannel(stage);
}

describe("Alertmanager's alerts of one group", () => {
  it('share one message, and the room hears of each change', async () => {
    await open();
    await send('firing', [REJECTED]);
    await vi.waitFor(() => expect(chat()).toEqual(['POST firing']), LONG);
    await send('firing', [REJECTED]);
    await vi.waitFor(() => expect(chat()).toEqual(['POST firing', 'PUT firing, told 2 times']), LONG);
    await send('firing', [REJECTED, CONNECTED]);
    await vi.waitFor(() => expect(chat().slice(2)).toEqual(['PUT firing, told 3 times']), LONG);
    await send('resolved', [REJECTED, CONNECTED]);
    const ended = ['PUT resolved, told 3 times', 'POST line'];
    await vi.waitFor(() => expect(chat().slice(3)).toEqual(ended), LONG);
    const [first, ...others] = stage.replies;
    expect(JSON.stringify(first?.activity)).toMatch(
      /Source: .*Alertmanager.*Severity: .*critical.*Since: .*Link: .*prometheus\.example.*Open the alert/,
    );
    expect(textOf(others.pop() ?? expect.unreachable())).toEqual(
      expect.stringMatching(
        /^Resolved after \d+ \w+; `00:1B:54:00:00:03` is still rejected \(`Blacklist_Access-Reject`, `sw-floor2-17 Gi1\/0\/15`\) · `Port Gi1\/0\/15 is down`$/,
      ),
    );
    expect(new Set(others.map(({ method, id }) => `${method} ${id}`))).toEqual(new Set([`PUT ${first?.id}`]));
    expect(new Set(stage.replies.map(({ conversationId }) => conversationId))).toEqual(new Set([CHANNEL]));
    expect(stage.posts()).toEqual([
      expect.stringMatching(/^Alert firing: [\s\S]*:03 rejected/),
      expect.stringMatching(
        /^Alert firing: [\s\S]*\n\n00:1B:54:00:00:02 connected, [\s\S]*\n\n1 device is unchanged\.$/,
      ),
      expect.stringMatching(
        /^Resolved after \d+ \w+; 00:1B:54:00:00:03 is still rejected \(.*\) · Port Gi1\/0\/15 is down$/,
      ),
    ]);
  });

  it('get a new message where the channel refuses an edit', async () => {
    await open();
    await send('firing', [REJECTED]);
    await vi.waitFor(() => expect(chat()).toEqual(['POST firing']), LONG);
    stage.refuse({ status: 403 });
    await send('resolved', []); // The end needs to name no device.
    await vi.waitFor(() => expect(chat().slice(1)).toEqual(['POST resolved']), LONG);
    await send('firing', [REJECTED]);
    await vi.waitFor(() => expect(chat().slice(2)).toEqual(['PUT firing, told 2 times', 'POST line']), LONG);
    expect(stage.replies[2]?.id).toBe(stage.replies[1]?.id);
    expect(stage.posts()).toEqual([
      expect.stringMatching(/^Alert firing: /),
      expect.stringMatching(/^Resolved after .*$/),
      expect.stringMatching(/^Alert firing: [\s\S]*\n\n1 device is unchanged\.$/),
    ]);
  });
});

it('a process that is killed while it tells an alert or its end says the message at most once more, and edits it then', async () => {
  await open({}, openProcessStage);
  const telling = once(stage.chat.server, 'request');
  await send('firing', [SLOW]);
  await telling; // The kill itself must come at once.
  await stage.restart();
  await vi.waitFor(() => expect(chat().at(-1)).toMatch(/firing/), LONG);
  await send('firing', [SLOW]);
  await vi.waitFor(() => expect(chat().at(-1)).toBe('PUT firing, told 2 times'), LONG);
  const cards = stage.replies.filter(({ method }) => method === 'POST').map(({ id }) => id);
  expect(cards.length).toBeLessThanOrEqual(2);
  expect(stage.posts().length).toBeLessThanOrEqual(2);
  await send('resolved', [SLOW]);
  await stage.restart();
  const ended = ['PUT resolved, told 2 times', 'POST line'];
  await vi.waitFor(() => expect(chat().slice(-2)).toEqual(ended), LONG);
  expect(stage.replies.at(-2)?.id).toBe(cards.at(-1));
  expect(chat().filter((each) => each.startsWith('POST'))).toHaveLength(cards.length + 1);
});

it('two replicas on one Postgres say one message for alerts of one incident, whoever gets them, all at once and after a restart', async () => {
  const url = await newDatabase();
  const shared = { DATABASE_URL: url };
  await open(shared);
  const other = await openStage({ ...stage.sandbox.environment, ALERTS_TOKEN, ...shared });
  onTestFinished(other.close);
  const bots = [1, 2, 3].flatMap(() => [stage.bot, other.bot]);
  await Promise.all(bots.map((bot) => sendGroup(bot, 'firing', [REJECTED])));
  await settled(url);
  expect(chat().filter((each) => each.startsWith('POST'))).toEqual([
    expect.stringMatching(/^POST firing(?:, told \d times)?$/),
  ]);
  expect(new Set(stage.replies.map(({ id }) => id)).size).toBe(1);
  expect(stage.posts()).toHaveLength(1);
  await Promise.all([stage.restart(), other.bot.stop()]);
  await send('resolved', [REJECTED]);
  await settled(url);
  expect(chat().slice(-2)).toEqual([expect.stringMatching(/^PUT resolved/), 'POST line']);
  expect(stage.posts()).toHaveLength(2);
});

const LEFT = `select from nac_lookup_bot.job
  where queue in ('alert', 'device', 'incident') and state = 'open'`;

const settled = (url: string) => vi.waitFor(async () => expect(await runIn(url, LEFT)).toEqual([]), LONG);

const send = (status: string, macs: readonly string[]) => sendGroup(stage.bot, status, macs);

/** How each reply came, and the alert's state that it says; `line` for a reply that is no alert. */
function chat(): string[] {
  return stage.replies.map((each) => {
    const [, state] = /^Alert (\w+)/.exec(textOf(each)) ?? [];
    const [told = ''] = /, told \d+ times/.exec(textOf(each)) ?? [];
    return `${each.method} ${state === undefined ? 'line' : `${state}${told}`}`;
  });
}
