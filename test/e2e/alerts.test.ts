import { beforeEach, describe, expect, it, vi } from 'vitest';
import { inThread, transcriptOf } from '../replies.ts';
import { startBot } from '../start-bot.ts';
import { CHANNEL, NOC, nameChannel } from './alertmanager.ts';

const WITHIN_10_S = { timeout: 10_000 };
const NAC_PAGE = 'https://nac.example.com/endpoint?mac=';

const bot = await startBot({ settings: { PUBLIC_HOST: 'bot.example.com', NAC_LINK: `${NAC_PAGE}{mac}` } });
await nameChannel(bot);
let posts: number;
beforeEach(() => {
  bot.replies.splice(0);
  posts = bot.posts().length;
});

const newPosts = () => bot.posts().slice(posts);

describe('POST /api/alerts', () => {
  it('looks up every device, and answers in thread and room', async () => {
    const { status, body } = await bot.alert('down: AA:BB:CC:DD:EE:FF, 001b.5400.0099', NOC);
    expect(status).toBe(202);
    const macs = ['AA:BB:CC:DD:EE:FF', '00:1B:54:00:00:99'];
    expect(body.lookups).toEqual(macs.map((mac) => ({ mac, id: expect.any(String) })));
    await bot.replied(1);
    expect(transcriptOf(bot.replies)[0]).toMatch(
      /^POST Alert firing: down: [\s\S]*:99: no session[\s\S]*:FF: connected[\s\S]*were posted to the room/,
    );
    expect(bot.replies[0]?.conversationId).toBe(CHANNEL);
    expect(JSON.stringify(bot.replies[0]?.activity)).not.toContain('<at>');
    expect(newPosts()).toEqual([
      [
        'Alert firing: down: AA:BB:CC:DD:EE:FF, 001b.5400.0099',
        '00:1B:54:00:00:99 no session. The NAC knows of no current session. Is the device plugged in and awake?',
        'The other device is well.',
        'AA:BB:CC:DD:EE:FF connected, sw-floor2-17 Gi1/0/15\nCorp_Wired_Access\nBasic_Authenticated_Access',
      ].join('\n\n'),
    ]);
  });

  it('with one Idempotency-Key is one alert, and with another body refused', async () => {
    const send = (text: string) => bot.alert(text, { headers: { 'idempotency-key': 'k-1' } });
    const first = await send('00:1B:54:00:00:03');
    expect(first.status).toBe(202);
    expect(await send('00:1B:54:00:00:03')).toEqual(first);
    expect((await send('00:1B:54:00:00:02')).status).toBe(422);
    await vi.waitFor(() => expect(newPosts()).toHaveLength(1), WITHIN_10_S);
    expect(await send('00:1B:54:00:00:03')).toEqual(first);
    expect(newPosts()).toHaveLength(1);
  });

  it('with the key of another name is another alert', async () => {
    const thread = '19:noc@thread.tacv2;messageid=keys';
    for (const name of ['one', 'two']) await bot.say(`alerts here as ${name}`, inThread(thread));
    const headers = { 'idempotency-key': '1' };
    expect((await bot.alert('00:1B:54:00:00:03', { thread: 'one', headers })).status).toBe(202);
    expect((await bot.alert('00:1B:54:00:00:02', { thread: 'two', headers })).status).toBe(202);
    await bot.replied(4);
    expect(newPosts()).toHaveLength(2);
  });

  it('without a thread is answered in the room alone', async () => {
    expect((await bot.alert('00:1B:54:00:00:03')).status).toBe(202);
    await vi.waitFor(() => expect(newPosts()).toHaveLength(1), WITHIN_10_S);
    expect(newPosts()).toEqual([expect.stringMatching(/^Alert firing\.\n\n00:1B:54:00:00:03 rejected, /)]);
    expect(bot.replies).toEqual([]);
  });
});

it('a test alert goes to the named place, in its time zone', async () => {
  const thread = '19:noc@thread.tacv2;messageid=test';
  await bot.say('alerts here as tokyo', { ...inThread(thread), localTimezone: 'Asia/Tokyo' });
  bot.replies.splice(0);
  const { texts } = await bot.say('alerts test tokyo 00:1B:54:00:00:03');
  expect(texts).toEqual(['A test alert with `00:1B:54:00:00:03` is on its way to `tokyo`.']);
  const [, alert] = await bot.replied(2);
  expect(alert).toMatch(/^Alert firing: Test alert\nrejected\. .*:03$/m);
  expect(bot.replies[1]?.conversationId).toBe(thread);
  const shown = JSON.stringify(bot.replies[1]?.activity);
  for (const words of [`${NAC_PAGE}00:1B:54:00:00:03`, ' GMT+9 (']) expect(shown).toContain(words);
  const words = /^Alert firing: Test alert\nSource: .*typed by.*Alex[\s\S]*:03 rejected/;
  expect(newPosts()).toEqual([expect.stringMatching(words)]);
});
