import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { openReadyStage, type Stage } from '../stage.ts';

/** 0.9 MB of tokens for every device, as a NAC that was taken over could answer. */
const TOKENS = Array.from({ length: 30_000 }, (_, index) => `<a>Some_long_token_${index}</a>`).join('');
const SESSION = sessionXml({ other: {} }).replace('</sessionParameters>', `${TOKENS}</sessionParameters>`);

let stage: Stage;
let closeNac: () => Promise<void>;
beforeAll(async () => {
  const nac = createServer((_, response) => {
    response.setHeader('content-type', 'application/xml');
    response.end(SESSION);
  });
  const { url, close } = await listen(nac);
  closeNac = close;
  stage = await openReadyStage({ NAC_URL: url, NAC_HISTORY: '0', ALERTS_TOKEN: '<ALERTS_TOKEN>, long' });
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

  it('is searched for addresses in its first 32 KB, and says so if there was more', async () => {
    const filler = ':!:'.repeat(80_000);
    const { texts, ms } = await stage.say(`00:1B:54:00:77:99 ${filler} 00:1B:54:00:77:98`, {
      channelId: 'sms',
    });
    expect(texts.at(-1)).toContain('That message is long: I searched only its first 32 KB.');
    expect(texts.join('')).not.toContain('00:1B:54:00:77:98');
    const other = await stage.say(`lookup ${'Port is down. '.repeat(10_000)} 00:1B:54:00:77:98`, {
      channelId: 'sms',
    });
    expect(other.texts).toEqual([
      'That message is long: I searched only its first 32 KB, and found no address there.',
    ]);
    expect(Math.min(ms, other.ms)).toBeLessThan(600);
  });
});
