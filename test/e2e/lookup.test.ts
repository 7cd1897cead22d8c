import { expect, it, vi } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { linesOf, only } from '../replies.ts';
import { closedUrl } from '../serve.ts';
import { startBot } from '../start-bot.ts';

const ADDRESS = 'AA:BB:CC:DD:EE:FF';
const TOKENS = ['Corp_Wired_Access', 'Basic_Authenticated_Access'];
const POSTED = 'The tokens were posted to the room.';
/** A chat service that shows no cards, so each answer is text. */
const TEXT = { channelId: 'sms' };

it('a lookup has a card and a summary, and its tokens are posted', async () => {
  const bot = await startBot();
  const answer = only((await bot.say(`lookup ${ADDRESS}`)).replies);
  expect(answer.activity).toMatchObject({ type: 'message', from: { id: 'bot' } });
  expect(answer.activity).not.toHaveProperty('text');
  expect(String(answer.activity.summary).split('\n')).toEqual([
    `connected. alex, sw-floor2-17 Gi1/0/15, 3 hours ago, ${ADDRESS}`,
    ...TOKENS,
    POSTED,
  ]);
  const lines = linesOf(answer);
  expect([...lines.slice(0, 3), lines.at(-1)]).toEqual(['Connected', ADDRESS, 'User: alex', POSTED]);
  expect(bot.posts()).toEqual([[`${ADDRESS} connected, sw-floor2-17 Gi1/0/15`, ...TOKENS].join('\n')]);
});

it("times are in the asker's language and zone", async () => {
  const bot = await startBot({ settings: { NAC_URL: await closedUrl() } });
  const inTokyo = { ...TEXT, locale: 'en-US', localTimezone: 'Asia/Tokyo' };
  const { texts } = await bot.say(`${ADDRESS} 00:1B:54:00:00:07`, inTokyo);
  expect(texts.join()).toMatch(/: the NAC has not answered since \d\d:\d\d [AP]M GMT\+9\.\n/);
  const { texts: status } = await bot.say('status', inTokyo);
  expect(status.join()).toMatch(/ As of \w+ \d+, \d\d:\d\d [AP]M GMT\+9\./);
});

/** 0.9 MB of tokens for every device, as a NAC that was taken over could answer. */
const MANY = Array.from({ length: 30_000 }, (_, index) => `<a>Some_long_token_${index}</a>`).join('');
const SESSION = sessionXml({ other: {} }).replace('</sessionParameters>', `${MANY}</sessionParameters>`);

const DEVICES = Array.from({ length: 20 }, (_, index) => `00:1B:54:00:77:${index + 10}`);
const LEFT_OUT = /(\d+,\d+) tokens are left out here; `?fields 00:1B:54:00:77:10`? shows/;

it('an alert of 20 devices with 30,000 tokens each has ten posts', async () => {
  const bot = await startBot({ nac: () => SESSION, settings: { NAC_HISTORY: '0' } });
  expect((await bot.alert(DEVICES.join(' '))).status).toBe(202);
  await vi.waitFor(() => expect(bot.posts().at(-1)).toMatch(LEFT_OUT), 40_000); // A busy machine reads 20 MB slowly.
  expect(bot.posts().length).toBeLessThanOrEqual(10);
  for (const device of DEVICES) expect(bot.posts().join('\n')).toContain(device);
});

it('a message is searched for addresses in its first 32 KB', async () => {
  const bot = await startBot();
  const long = 'Port is down. '.repeat(10_000);
  const { texts } = await bot.say(`AA:BB:CC:DD:EE:FF ${long} 00:1B:54:00:77:98`, TEXT);
  expect(texts.at(-1)).toContain('That message is long: I searched only its first 32 KB.');
  expect(texts.join('')).not.toContain('00:1B:54:00:77:98');
  expect((await bot.say(`lookup ${long} 00:1B:54:00:77:98`, TEXT)).texts).toEqual([
    'That message is long: I searched only its first 32 KB, and found no address there.',
  ]);
});
