import { describe, expect, it } from 'vitest';
import { attemptsXml, sessionXml } from '../../src/sandbox/session-xml.ts';
import { inThread } from '../replies.ts';
import type { Answer } from '../scripts.ts';
import { type Bot, type BotOptions, NO_DATABASE, startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';
import { buttonsOf, expectWellFormedCard, wordsOf } from './cards.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';
const MANY = Array.from({ length: 21 }, (_, index) => `00:1B:54:00:01:${10 + index}`).join(' ');
const FIRST_20 = 'That message holds 21 addresses. I look up the first 20.';
const LATE =
  'The NAC has not answered for every device yet. Nothing was posted. Please look up again in a moment.';
const TAKEN = 'The tokens were posted to the room.';
const SESSION = sessionXml({});
const FETCH = 'composeExtension/fetchTask';
const SUBMIT = 'composeExtension/submitAction';
const UNSURE = 'The room has not taken the tokens yet, and I cannot promise that it will. Please look there.';

const chosen = (content: unknown, more: object = {}) => {
  return { messagePayload: { id: '1', body: { contentType: 'html', content }, ...more } };
};

const invoke = ({ say }: Bot, value: unknown, name: string | undefined = FETCH) =>
  say(undefined, { ...inThread('19:noc@thread.tacv2;messageid=1'), type: 'invoke', name, value });

async function open(bot: Bot, content: unknown, more?: object): Promise<unknown> {
  const { status, body, replies } = await invoke(bot, chosen(content, more));
  expect({ status, replies }).toEqual({ status: 200, replies: [] });
  const { card } = Object(body).task.value;
  expectWellFormedCard(card.content);
  return card.content;
}

const asked = ({ calls }: Bot) => calls.map(({ path }) => path.split('/').at(-1));

it('"Look up devices" shows, posts and audits, and is not recent', async () => {
  const bot = await startBot({ nac: { [ONE]: SESSION } });
  const words = wordsOf(await open(bot, `port 3: ${ONE} is down`));
  expect([words[0], words[1], words.at(-1)]).toEqual(['Connected', ONE, TAKEN]);
  const text = `${ONE} connected, sw-floor2-17 Gi1/0/15\nCorp_Wired_Access\nBasic_Authenticated_Access`;
  expect(bot.posts()).toEqual([text]);
  const line = { by: 'menu', conversation: '19:noc@thread.tacv2', outcome: 'found', posted: 'yes' };
  expect(bot.logged('audit')).toMatchObject([line]);
  const recent = await bot.ask('recent', inThread('19:noc@thread.tacv2;messageid=1'));
  expect(recent).toContain('No lookups here yet');
});

it.each<[string, Answer | undefined, string, string[]]>([
  ['several devices', undefined, `${ONE} ${OTHER}`, [`No session ${OTHER} ›`]],
  ['the first 20 of more', undefined, MANY, ['20 devices: 20 no session.', FIRST_20]],
  ['a fault, with its number', 403, ONE, [expect.stringMatching(/^Report number \d{6}\. Tell it/)]],
])('"Look up devices" posts nothing without tokens, and shows %s', async (_, answer, text, expected) => {
  const bot = await startBot({ nac: { [ONE]: answer } });
  expect(wordsOf(await open(bot, text))).toEqual(expect.arrayContaining(expected));
  expect(bot.posts()).toEqual([]);
});

const file = { contentType: 'reference', contentUrl: 'https://x.example' };
const attachments = [null, file, { contentType: 'image/*' }];
it.each<[string, unknown, object, words: string, lookups?: number]>([
  ['its own words', `<p>is&nbsp;<b>00</b>:1B:54:00:00:01 in?</p>`, {}, `Connected,${ONE}`, 1],
  ['a card', '', { attachments: [{ content: `{"text":"${ONE}"}` }] }, `Connected,${ONE}`, 1],
  ['attachments that are no list', ONE, { attachments: 5 }, `Connected,${ONE}`, 1],
  ['a subject', '<p>down</p>', { subject: ONE }, `Connected,${ONE}`, 1],
  ['a link', '<a href="https://x/00%3A1B%3A54%3A00%3A00%3A01">x</a>', {}, `Connected,${ONE}`, 1],
  ['no address', 'thank you', {}, 'I see no MAC address in this message.'],
  ['no words', { html: ONE }, {}, 'I see no MAC address in this message.'],
  ['an IP address', 'lookup 198.51.100.23', {}, 'Did you mean 198.51.100.23?'],
  ['any number', 'the camera 001122334455 is down', {}, 'Did you mean 00:11:22:33:44:55?'],
  ['a slip', 'port AA:BB:CC:DD:EE:0O', {}, 'Did you mean AA:BB:CC:DD:EE:00?'],
  ['a virtual gateway', 'HSRP 0000.0c07.ac0a', {}, 'AC:0A (an access point, switch or virtual gateway)'],
  ['what it cannot see', '', { attachments }, 'I cannot see pictures, files or the text of some quotes.'],
  ['no address in its first part', 'x '.repeat(20_000), {}, 'first 32 KB, and found no address there'],
])('"Look up devices" reads a message with %s', async (_, content, more, words, lookups = 0) => {
  const bot = await startBot({ nac: { [ONE]: SESSION } });
  expect(wordsOf(await open(bot, content, more)).join()).toContain(words);
  expect(bot.calls).toHaveLength(lookups);
});

it('"Look up devices" offers no watch, which its window could not begin', async () => {
  const bot = await startBot({ nac: {} });
  expect(buttonsOf(await open(bot, ONE)).map(({ title }) => title)).not.toContain('Tell me when it connects');
});

it('"Look up devices" keeps to the addresses of a minute', async () => {
  const bot = await startBot({ nac: {}, settings: { NAC_HISTORY: '0' } });
  for (const text of [MANY, MANY.slice(0, 179)]) await open(bot, text);
  expect(wordsOf(await open(bot, ONE)).join()).toMatch(/Please try again in (?:5\d|60) s\./);
});

it('"Look up devices" is refused to a person without permission', async () => {
  const bot = await startBot({ settings: { ALLOWED_USERS: 'other' } });
  const { body } = await invoke(bot, chosen(ONE));
  const value = expect.stringMatching(/^Sorry, I may not answer you here\..* your id is 0{8}-.*\.$/);
  expect(body).toEqual({ task: { type: 'message', value } });
  expect(bot.calls).toEqual([]);
});

describe('an invoke of the message extension', () => {
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', content: expect.any(Object) };
  const value = { title: 'Look up devices', height: 'medium', width: 'medium', card };
  const WINDOW = { task: { type: 'continue', value } };

  it('from a button shows its card in a window', async () => {
    const bot = await startBot({ nac: {} });
    const pressed = { ...chosen('AA'), data: { text: ONE } };
    expect(await invoke(bot, pressed, SUBMIT)).toMatchObject({ status: 200, body: WINDOW });
    expect(asked(bot)).toEqual([ONE]);
  });

  it('from a button for all fields shows them, and posts nothing', async () => {
    const bot = await startBot({ nac: { [ONE]: SESSION } });
    const fields = buttonsOf(await open(bot, ONE)).find(({ data }) => data.dialog === 'fields');
    const { text } = await invoke(bot, { data: fields?.data }, SUBMIT);
    expect(text).toContain('identity_group: ');
    expect(bot.posts()).toHaveLength(1);
    expect(bot.logged('audit')).toMatchObject([{ posted: 'yes' }, { by: 'fields', posted: 'nothing' }]);
  });

  it.each<[status: number, names: string[], more?: object]>([
    [400, [FETCH, SUBMIT]],
    [501, ['composeExtension/query', 'task/fetch', 'fileConsent/invoke', 'x', ''], chosen(ONE)],
  ])('of another shape or name is refused: %i', async (status, names, more = {}) => {
    const bot = await startBot();
    const shapes = [undefined, null, 5, 'AA', [], { data: {} }, { data: { text: 5 } }, more];
    for (const name of names)
      for (const shape of [...shapes, { messagePayload: 'AA' }])
        expect((await invoke(bot, shape, name)).status).toBe(status);
    expect(bot.calls).toEqual([]);
  });
});

async function begin(text: string, calls: number, options: BotOptions) {
  const bot = await startBot({ at: '2026-01-15T14:05:00Z', holdsTime: true, ...options });
  const card = open(bot, text);
  await until(() => expect(bot.calls.length + bot.otherCalls.length).toBeGreaterThanOrEqual(calls));
  return { bot, card };
}

it('a card says after 3.5 seconds what is not answered yet', async () => {
  const slow = Promise.withResolvers<string>();
  const nac = { [ONE]: SESSION, [OTHER]: slow.promise };
  const { bot, card } = await begin(`${ONE} ${OTHER}`, 2, { nac });
  await bot.clock.skip(3500);
  const words = wordsOf(await card);
  expect(words[0]).toBe('1 of 2 answered so far.');
  expect(words.slice(-2)).toEqual([`${OTHER}: still asking`, LATE]);
  slow.resolve(SESSION);
  const late = { outcome: 'found', posted: 'nothing' };
  await until(() => expect(bot.logged('audit')).toMatchObject([late, late]));
  expect(bot.posts()).toEqual([]);
});

it.each([
  ['is stored', {}, 'The tokens are not posted yet. I keep trying for 24 hours.'],
  ['cannot be stored', NO_DATABASE, UNSURE],
])('a card does not wait after 4.3 seconds for a post that %s', async (_, options, words) => {
  const posting = Promise.withResolvers<undefined>();
  let isPosting = false;
  const room = () => {
    isPosting = true;
    return posting.promise;
  };
  const { bot, card } = await begin(ONE, 1, { nac: { [ONE]: SESSION }, room, ...options });
  await until(() => expect(isPosting).toBe(true));
  await bot.clock.skip(4300);
  expect(wordsOf(await card)).toEqual(expect.arrayContaining(['Connected', words]));
  posting.resolve(undefined);
  expect(bot.logged('audit')).toMatchObject([{ posted: 'later', answeredAt: '2026-01-15T14:05:04.300Z' }]);
});

it.each([
  [2400, true],
  [2500, false],
])('attempts come in time: %i ms, %s', async (ms, isShown) => {
  const late = Promise.withResolvers<string>();
  const nac = (_: string, path: string) => (path.includes('/AuthStatus/') ? late.promise : undefined);
  const { bot, card } = await begin(ONE, 3, { nac });
  await bot.clock.skip(ms);
  late.resolve(attemptsXml(ONE, [{ passed: 'false', minutesAgo: 5 }]));
  expect(JSON.stringify(await card).includes('Refused')).toBe(isShown);
});
