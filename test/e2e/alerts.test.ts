import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStage, type Stage } from '../stage.ts';
import { ALERTS_TOKEN, CHANNEL, nameChannel, saidIn, sendAlert } from './alert-stage.ts';
import { inThread } from './cards.ts';

const WITHIN_10_S = { timeout: 10_000 };
const NAC_PAGE = 'https://nac.example.com/endpoint?mac=';
const TO_ALL = { path: '/api/alerts' };

let stage: Stage;
let posts: number;
beforeAll(async () => {
  stage = await openStage({
    ALERTS_TOKEN,
    ADMINS: '00000000-0000-0000-0000-000000000001',
    PUBLIC_HOST: 'bot.example.com',
    NAC_LINK: `${NAC_PAGE}{mac}`,
  });
  await nameChannel(stage);
});
beforeEach(() => {
  stage.replies.splice(0);
  posts = stage.posts().length;
});
afterAll(() => stage.close());

const newPosts = () => stage.posts().slice(posts);

describe('POST /api/alerts', () => {
  it('looks up every device and answers once, in the named thread and in the room', async () => {
    const alert = { text: 'down: AA:BB:CC:DD:EE:FF, 001b.5400.0099', thread: 'noc' };
    const { status, body } = await sendAlert(stage.bot, alert, TO_ALL);
    expect(status).toBe(202);
    const macs = ['AA:BB:CC:DD:EE:FF', '00:1B:54:00:00:99'];
    expect(body.lookups).toEqual(macs.map((mac) => ({ mac, id: expect.any(String) })));
    await vi.waitFor(() => expect(stage.replies).toHaveLength(1), WITHIN_10_S);
    expect(saidIn(stage)[0]).toMatch(
      /^POST Alert firing: down: [\s\S]*:99: no session[\s\S]*:FF: connected[\s\S]*were posted to the room/,
    );
    expect(stage.replies[0]?.conversationId).toBe(CHANNEL);
    expect(JSON.stringify(stage.replies[0]?.activity)).not.toContain('<at>');
    expect(newPosts()).toEqual([
      [
        'Alert firing: down: AA:BB:CC:DD:EE:FF, 001b.5400.0099',
        '00:1B:54:00:00:99 no session. The NAC knows of no current session. Is the device plugged in and awake?',
        'The other device is well.',
        'AA:BB:CC:DD:EE:FF connected, sw-floor2-17 Gi1/0/15\nCorp_Wired_Access\nBasic_Authenticated_Access',
      ].join('\n\n'),
    ]);
  });

  it('with one Idempotency-Key is one alert, refused with another body, and told in the room alone without a thread', async () => {
    const send = (text: string) =>
      sendAlert(stage.bot, { text }, { ...TO_ALL, headers: { 'idempotency-key': 'k-1' } });
    const first = await send('00:1B:54:00:00:03');
    expect(first.status).toBe(202);
    expect(await send('00:1B:54:00:00:03')).toEqual(first);
    expect((await send('00:1B:54:00:00:02')).status).toBe(422);
    await vi.waitFor(() => expect(newPosts()).toHaveLength(1), WITHIN_10_S);
    expect(await send('00:1B:54:00:00:03')).toEqual(first);
    expect(newPosts()).toEqual([
      expect.stringMatching(
        /^Alert firing\.\n\n00:1B:54:00:00:03 rejected, sw-floor2-17 Gi1\/0\/15\. .*\nBlacklist_Access-Reject$/,
      ),
    ]);
    expect(stage.replies).toEqual([]);
  });
});

it('the alerts command tells an address that a sender can use as it stands, and sends a test alert there', async () => {
  const { texts: refused } = await stage.say('alerts list', { from: { id: 'somebody' } });
  expect(refused).toEqual(['This command is for the administrators of the bot.']);
  const thread = '19:noc@thread.tacv2;messageid=test';
  const inTokyo = { ...inThread(thread), localTimezone: 'Asia/Tokyo' };
  const [told = ''] = (await stage.say('alerts here as büro', inTokyo)).texts;
  const path = /`https:\/\/bot\.example\.com(\/\S+)`/.exec(told)?.[1] ?? '';
  expect((await sendAlert(stage.bot, { text: 'no address' }, { path })).status).toBe(202);
  stage.replies.splice(0);
  const { texts } = await stage.say('alerts test büro 00:1B:54:00:00:03');
  expect(texts).toEqual(['A test alert with `00:1B:54:00:00:03` is on its way to `büro`.']);
  await vi.waitFor(() => expect(stage.replies).toHaveLength(2), WITHIN_10_S);
  expect(saidIn(stage)[1]).toMatch(/^POST Alert firing: Test alert\nrejected\. .*:03$/m);
  expect(stage.replies[1]?.conversationId).toBe(thread);
  const shown = JSON.stringify(stage.replies[1]?.activity);
  for (const words of [`${NAC_PAGE}00:1B:54:00:00:03`, ' GMT+9 (']) expect(shown).toContain(words);
  expect(newPosts()).toEqual([
    expect.stringMatching(/^Alert firing: Test alert\nSource: .*typed by.*Alex[\s\S]*:03 rejected/),
  ]);
});

it('autoreply answers unmentioned channel messages with a MAC address, once it is on', async () => {
  const thread = '19:lab@thread.tacv2;messageid=5';
  const unmentioned = (text: string) => stage.say(text, inThread(thread, false));
  const say = async (text: string) => (await unmentioned(text)).texts;
  const command = (text: string) => stage.say(text, inThread(thread));
  const question = 'switch port down for 00:1B:54:00:00:02';
  expect(await say(question)).toEqual([]);
  await command('autoreply on');
  expect((await command('alerts list')).texts.join()).not.toContain('19:lab');
  const [answer] = (await unmentioned(question)).replies;
  expect(answer?.conversationId).toBe(thread);
  expect(answer?.activity.summary).toMatch(/^connected\. .*00:1B:54:00:00:02$/m);
  for (const text of ['good morning', 'lookup 001122334455']) expect(await say(text)).toEqual([]);
  await command('autoreply off');
  expect(await say(question)).toEqual([]);
});
