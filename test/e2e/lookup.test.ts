import { expect, it, vi } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { buttonsOf, wordsOf } from '../dialogs/cards.ts';
import { closedUrl, says, serve } from '../serve.ts';
import { stageForTest } from '../stage.ts';
import { inThread, linesOf, only } from './cards.ts';

const ADDRESS = 'AA:BB:CC:DD:EE:FF';
const TOKENS = ['Corp_Wired_Access', 'Basic_Authenticated_Access'];
const POSTED = 'The tokens were posted to the room.';
/** A chat service that shows no cards, so each answer is text. */
const TEXT = { channelId: 'sms' };
const XML = { 'content-type': 'application/xml' };

it('a lookup is answered with a card and a plain summary, the tokens literally in both, and posts them once', async () => {
  const stage = await stageForTest();
  const said = only((await stage.say(`lookup ${ADDRESS}`)).replies);
  expect(said.activity).toMatchObject({ type: 'message', from: { id: 'bot' } });
  expect(said.activity).not.toHaveProperty('text');
  expect(String(said.activity.summary).split('\n')).toEqual([
    `connected. alex, sw-floor2-17 Gi1/0/15, 3 hours ago, ${ADDRESS}`,
    ...TOKENS,
    POSTED,
  ]);
  const lines = linesOf(said);
  expect([...lines.slice(0, 3), lines.at(-1)]).toEqual(['Connected', ADDRESS, 'User: alex', POSTED]);
  expect(stage.posts()).toEqual([[`${ADDRESS} connected, sw-floor2-17 Gi1/0/15`, ...TOKENS].join('\n')]);
});

it('a person is told times in the own language and zone, and since when the NAC is silent', async () => {
  const stage = await stageForTest({ NAC_URL: await closedUrl() });
  const person = { ...TEXT, locale: 'en-US', localTimezone: 'Asia/Tokyo' };
  const { texts } = await stage.say(`${ADDRESS} 00:1B:54:00:00:07`, person);
  expect(texts.join()).toMatch(/: the NAC has not answered since \d\d:\d\d [AP]M GMT\+9\.\n/);
  const { texts: status } = await stage.say('status', person);
  expect(status.join()).toMatch(/ As of \w+ \d+, \d\d:\d\d [AP]M GMT\+9:/);
});

it('"Look up devices" on a message opens a window with the answer, and its buttons answer in the same window', async () => {
  const { say, posts, sandbox } = await stageForTest();
  const content = '001b.5400.0003 and AA:BB:<b>CC</b>:<span>DD</span>:EE:FF';
  const messagePayload = { id: '1', messageType: 'message', body: { contentType: 'html', content } };
  /** Does what the message's menu does, or a button of the window; returns the window's card. */
  async function invoke(name: string, data?: unknown): Promise<Record<string, unknown>> {
    const value = { commandId: 'lookUp', commandContext: 'message', messagePayload, data };
    const invoked = { type: 'invoke', text: undefined, value, name: `composeExtension/${name}` };
    const { status, body, ms, replies } = await say('', {
      ...inThread('19:noc@thread.tacv2;messageid=1'),
      ...invoked,
    });
    expect({ status, replies }).toEqual({ status: 200, replies: [] });
    expect(ms).toBeLessThan(5000); // The client's time-out.
    const card = { contentType: 'application/vnd.microsoft.card.adaptive' };
    expect(body).toMatchObject({ task: { type: 'continue', value: { card } } });
    return Object(body).task.value.card.content;
  }

  const card = await invoke('fetchTask');
  expect(wordsOf(card)[0]).toBe('2 devices: 1 connected, 1 rejected.');
  expect(wordsOf(card).at(-1)).toBe(POSTED);
  expect(posts()).toHaveLength(1);
  const pressed = await invoke('submitAction', buttonsOf({ text: '', card })[1]?.data);
  expect(wordsOf(pressed).slice(0, 2)).toEqual(['Connected', ADDRESS]);
  expect(sandbox.nacCalls).toHaveLength(3);
});

/** 0.9 MB of tokens for every device, as a NAC that was taken over could answer. */
const MANY = Array.from({ length: 30_000 }, (_, index) => `<a>Some_long_token_${index}</a>`).join('');
const SESSION = sessionXml({ other: {} }).replace('</sessionParameters>', `${MANY}</sessionParameters>`);

const DEVICES = Array.from({ length: 20 }, (_, index) => `00:1B:54:00:77:${index + 10}`);
const LEFT_OUT = /(\d+,\d+) tokens are left out here; `?fields 00:1B:54:00:77:10`? shows/;

it('an alert about 20 devices with 30,000 tokens each makes at most 10 posts', async () => {
  const NAC_URL = await serve(says(200, SESSION, XML));
  const stage = await stageForTest({ NAC_URL, NAC_HISTORY: '0', ALERTS_TOKEN: 'a-token-of-alerts' });
  expect(await stage.alert(DEVICES.join(' '))).toBe(202);
  await vi.waitFor(() => expect(stage.posts().at(-1)).toMatch(LEFT_OUT), 40_000); // A busy machine reads 20 MB slowly.
  expect(stage.posts().length).toBeLessThanOrEqual(10);
  for (const device of DEVICES) expect(stage.posts().join('\n')).toContain(device);
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

it('a named administrator is told once that the room needs a new webhook; nobody else is', async () => {
  const [admin, other] = ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002'];
  const stage = await stageForTest({ WEBHOOK_TOKEN: 'gone', ADMINS: admin });
  const say = async (aadObjectId: string) => {
    const { texts } = await stage.say(`lookup ${ADDRESS}`, { from: { id: aadObjectId, aadObjectId } });
    return texts.slice(1);
  };
  expect(await say(other)).toEqual([]);
  expect(await say(admin)).toEqual([
    'The room gets no posts, because its webhook does not exist any more. Make a new one in the room, and paste its whole address into WEBHOOK_URL.',
  ]);
  expect(await say(admin)).toEqual([]);
});
