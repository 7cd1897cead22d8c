import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { answer } from '../serve.ts';
import { openStage, type Stage } from '../stage.ts';

/** 0.9 MB of tokens for every device, as a NAC that was taken over could answer. */
const TOKENS = Array.from({ length: 30_000 }, (_, index) => `<a>Some_long_token_${index}</a>`).join('');
const SESSION = sessionXml({ other: {} }).replace('</sessionParameters>', `${TOKENS}</sessionParameters>`);

const TEXT = { channelId: 'sms' };
const DEVICES = Array.from({ length: 20 }, (_, index) => `00:1B:54:00:77:${index + 10}`);
const LEFT_OUT = /(\d+,\d+) tokens are left out here; `?fields 00:1B:54:00:77:10`? shows/;

let stage: Stage;
let close: () => Promise<void>;
beforeAll(async () => {
  const nac = createServer((_, response) =>
    answer(response, 200, { 'content-type': 'application/xml' }, SESSION),
  );
  const { url, close: closeNac } = await listen(nac);
  const settings = { NAC_URL: url, NAC_HISTORY: '0', ALERTS_TOKEN: 'a-token-of-alerts' };
  stage = await openStage(settings, { timing: { turnMs: 60_000 } }); // A busy machine reads 20 MB slowly.
  close = async () => void (await Promise.all([stage.close(), closeNac()]));
});
afterAll(() => close());

/** The posts from this one on, once the last says what is left out. */
async function postsFrom(first: number): Promise<string[]> {
  const posts = () => stage.posts().slice(first);
  await vi.waitFor(() => expect(posts().at(-1)).toMatch(LEFT_OUT), 40_000);
  return posts();
}

it('a question about 20 devices with 30,000 tokens each makes at most 10 posts and 6 messages', async () => {
  const { texts } = await stage.say(`lookup ${DEVICES.join(' ')}`, TEXT);
  const posts = await postsFrom(0);
  expect(texts.at(-1)).toMatch(LEFT_OUT);
  expect(texts.length).toBeLessThanOrEqual(6);
  expect(posts.length).toBeLessThanOrEqual(10);
  const lines = posts.flatMap((text) => text.split('\n'));
  const told = lines.filter((line) => line.startsWith('Some_long_token_')).length;
  const [, left = ''] = LEFT_OUT.exec(posts.at(-1) ?? '') ?? [];
  expect(told + Number(left.replaceAll(',', ''))).toBe(600_000);
  for (const device of DEVICES) expect(posts.join('\n')).toContain(device);
});

it('an alert about them makes at most 10 posts', async () => {
  const before = stage.posts().length;
  expect(await stage.alert(DEVICES.join(' '))).toBe(202);
  expect((await postsFrom(before)).length).toBeLessThanOrEqual(10);
});

it('a message is searched for addresses in its first 32 KB, and the answer says so if there was more', async () => {
  const long = 'Port is down. '.repeat(10_000);
  const { texts } = await stage.say(`00:1B:54:00:77:99 ${long} 00:1B:54:00:77:98`, TEXT);
  expect(texts.at(-1)).toContain('That message is long: I searched only its first 32 KB.');
  expect(texts.join('')).not.toContain('00:1B:54:00:77:98');
  expect((await stage.say(`lookup ${long} 00:1B:54:00:77:98`, TEXT)).texts).toEqual([
    'That message is long: I searched only its first 32 KB, and found no address there.',
  ]);
});
