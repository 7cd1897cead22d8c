import { expect, it, vi } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { says, serve } from '../serve.ts';
import { stageForTest } from '../stage.ts';

/** 0.9 MB of tokens for every device, as a NAC that was taken over could answer. */
const TOKENS = Array.from({ length: 30_000 }, (_, index) => `<a>Some_long_token_${index}</a>`).join('');
const SESSION = sessionXml({ other: {} }).replace('</sessionParameters>', `${TOKENS}</sessionParameters>`);

const TEXT = { channelId: 'sms' };
const DEVICES = Array.from({ length: 20 }, (_, index) => `00:1B:54:00:77:${index + 10}`);
const LEFT_OUT = /(\d+,\d+) tokens are left out here; `?fields 00:1B:54:00:77:10`? shows/;

it('a question or an alert about 20 devices with 30,000 tokens each makes at most 10 posts and 6 messages', async () => {
  const NAC_URL = await serve(says(200, SESSION, { 'content-type': 'application/xml' }));
  const settings = { NAC_URL, NAC_HISTORY: '0', ALERTS_TOKEN: 'a-token-of-alerts' };
  const stage = await stageForTest(settings, { timing: { turnMs: 60_000 } }); // A busy machine reads 20 MB slowly.
  /** The posts from this one on, once the last says what is left out. */
  async function postsFrom(first: number): Promise<string[]> {
    const posts = () => stage.posts().slice(first);
    await vi.waitFor(() => expect(posts().at(-1)).toMatch(LEFT_OUT), 40_000);
    return posts();
  }

  const { texts } = await stage.say(`lookup ${DEVICES.join(' ')}`, TEXT);
  const posts = await postsFrom(0);
  expect(texts.at(-1)).toMatch(LEFT_OUT);
  expect(texts.length).toBeLessThanOrEqual(6);
  expect(posts.length).toBeLessThanOrEqual(10);
  const told = posts.join('\n').match(/^Some_long_token_/gm)?.length ?? 0;
  const [, left = ''] = LEFT_OUT.exec(posts.at(-1) ?? '') ?? [];
  expect(told + Number(left.replaceAll(',', ''))).toBe(600_000);
  for (const device of DEVICES) expect(posts.join('\n')).toContain(device);

  expect(await stage.alert(DEVICES.join(' '))).toBe(202);
  expect((await postsFrom(posts.length)).length).toBeLessThanOrEqual(10);
});

it('a message is searched for addresses in its first 32 KB, and the answer says so if there was more', async () => {
  const { say } = await stageForTest();
  const long = 'Port is down. '.repeat(10_000);
  const { texts } = await say(`AA:BB:CC:DD:EE:FF ${long} 00:1B:54:00:77:98`, TEXT);
  expect(texts.at(-1)).toContain('That message is long: I searched only its first 32 KB.');
  expect(texts.join('')).not.toContain('00:1B:54:00:77:98');
  expect((await say(`lookup ${long} 00:1B:54:00:77:98`, TEXT)).texts).toEqual([
    'That message is long: I searched only its first 32 KB, and found no address there.',
  ]);
});
