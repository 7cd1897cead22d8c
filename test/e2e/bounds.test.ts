import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { openReadyStage, type Stage } from '../stage.ts';

/** 0.9 MB of tokens for every device, as a NAC that was taken over could answer. */
const TOKENS = Array.from({ length: 30_000 }, (_, index) => `<a>Some_long_token_${index}</a>`).join('');
const SESSION = sessionXml({ other: {} }).replace('</sessionParameters>', `${TOKENS}</sessionParameters>`);

/** Each `::` in it is an IP address. */
const FILLER = ':!:'.repeat(80_000);

const ALERTS_TOKEN = 'a-token-of-alerts';

let stage: Stage;
let closeNac: () => Promise<void>;
beforeAll(async () => {
  const nac = createServer((_, response) => {
    response.setHeader('content-type', 'application/xml');
    response.end(SESSION);
  });
  const { url, close } = await listen(nac);
  closeNac = close;
  stage = await openReadyStage({ NAC_URL: url, NAC_HISTORY: '0', ALERTS_TOKEN });
});
afterAll(async () => {
  await stage.close();
  await closeNac();
});

const devices = (count: number) =>
  Array.from({ length: count }, (_, index) => `00:1B:54:00:77:${String(index + 10)}`);
const posts = () => stage.sandbox.room.posts();

describe('a question', () => {
  it.each([1, 20])(
    'about %i devices with 30,000 tokens each makes at most 10 posts and 6 messages',
    async (count) => {
      const before = posts().length;
      const { status, replies } = await stage.say(`lookup ${devices(count).join(' ')}`, { channelId: 'sms' });
      await vi.waitFor(() => expect(posts().length).toBeGreaterThan(before));
      const said = stage.replies.slice(stage.replies.indexOf(replies[0] as never));
      expect(status).toBe(200);
      expect(said.length).toBeLessThanOrEqual(6);
      expect(posts().length - before).toBeLessThanOrEqual(10);
      const leftOut = /(\d+,\d+) tokens are left out here; `?fields 00:1B:54:00:77:10`? shows/;
      expect(posts().at(-1)?.text).toMatch(leftOut);
      expect(said.at(-1)?.activity.text).toMatch(leftOut);
      const told = posts()
        .slice(before)
        .map(({ text }) => text)
        .join('\n');
      const count30 = told.split('\n').filter((line) => line.startsWith('Some_long_token_')).length;
      const [, left = ''] = leftOut.exec(told) ?? [];
      expect(count30 + Number(left.replaceAll(',', ''))).toBe(count * 30_000);
      for (const device of devices(count)) expect(told).toContain(device);
    },
  );

  it('of an alert about 20 such devices makes at most 10 posts', async () => {
    const before = posts().length;
    const response = await fetch(`${stage.bot.url}/api/alerts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ALERTS_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: devices(20).join(' ') }),
    });
    expect(response.status).toBe(202);
    await vi.waitFor(() => expect(posts().slice(before).at(-1)?.text).toContain('tokens are left out here'), {
      timeout: 10_000,
    });
    expect(posts().length - before).toBeLessThanOrEqual(10);
  });

  it('is searched for addresses in its first 32 KB, and says so if there was more', async () => {
    const { texts } = await stage.say(`00:1B:54:00:77:99 ${FILLER} 00:1B:54:00:77:98`, { channelId: 'sms' });
    expect(texts.at(-1)).toContain('That message is long: I searched only its first 32 KB.');
    expect(texts.join('')).not.toContain('00:1B:54:00:77:98');
    const other = await stage.say(`lookup ${'Port is down. '.repeat(10_000)} 00:1B:54:00:77:98`, {
      channelId: 'sms',
    });
    expect(other.texts).toEqual([
      'That message is long: I searched only its first 32 KB, and found no address there.',
    ]);
  });

  it.each([
    ['words alone', FILLER, {}],
    ['words behind a command', `lookup ${FILLER}`, {}],
    ["a forged button's text", '', { value: { dialog: 'lookup', text: FILLER }, replyToId: 'card' }],
  ])('of 240 KB takes little time: %s', async (_, text, changes) => {
    const took: number[] = [];
    for (let tries = 0; tries < 3; tries++) {
      const begun = process.threadCpuUsage();
      expect((await stage.say(text, changes)).texts).toHaveLength(1);
      const { user, system } = process.threadCpuUsage(begun);
      took.push((user + system) / 1000);
    }
    expect(Math.min(...took)).toBeLessThan(250);
  });
});
