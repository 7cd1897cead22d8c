import { expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { linesOf, only } from '../replies.ts';
import { startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';

const ADDRESS = 'AA:BB:CC:DD:EE:FF';
const TOKENS = ['Corp_Wired_Access', 'Basic_Authenticated_Access'];
const POSTED = 'The tokens were posted to the room.';
/** A chat service that shows no cards, so each answer is text. */
const TEXT = { channelId: 'sms' };

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
  expect([bot.calls.length, bot.sisterCalls]).toEqual([1, []]);
});

it("times are in the asker's language and zone", async () => {
  const bot = await startBot({ nac: () => 0 });
  const inTokyo = { ...TEXT, locale: 'en-US', localTimezone: 'Asia/Tokyo' };
  const { texts } = await bot.say(`${ADDRESS} 00:1B:54:00:00:07`, inTokyo);
  expect(texts.join()).toMatch(/: the NAC has not answered since \d\d:\d\d [AP]M GMT\+9\.\n/);
});

it('an alert of 20 devices with 30,000 tokens each has ten posts', async () => {
  const tokens = Array.from({ length: 30_000 }, (_, index) => `<a>Some_long_token_${index}</a>`).join('');
  const session = sessionXml({ other: {} }).replace('</sessionParameters>', `${tokens}</sessionParameters>`);
  const devices = Array.from({ length: 20 }, (_, index) => `00:1B:54:00:77:${index + 10}`);
  const bot = await startBot({ nac: () => session, settings: { NAC_HISTORY: '0' } });
  expect((await bot.alert(devices.join(' '))).status).toBe(202);
  await until(() => expect(bot.posts().at(-1)).toMatch(/\d+,\d+ tokens are left out here; `?fields /));
  expect(bot.posts().length).toBeLessThanOrEqual(10);
  for (const device of devices) expect(bot.posts().join('\n')).toContain(device);
});

it('a message is searched for addresses in its first 32 KB', async () => {
  const bot = await startBot();
  const { texts } = await bot.say(`${ADDRESS} ${'Port is down. '.repeat(10_000)} 00:1B:54:00:77:98`, TEXT);
  expect(texts.at(-1)).toContain('That message is long: I searched only its first 32 KB.');
  expect(texts.join('')).not.toContain('00:1B:54:00:77:98');
});
