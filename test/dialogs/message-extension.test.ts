import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Services } from '../../dialogs/dialog.ts';
import { readerFor } from '../../dialogs/format/words.ts';
import { reportNumber } from '../../dialogs/lookup/report.ts';
import { createMessageExtension } from '../../dialogs/message-extension.ts';
import type { LookupOutcome } from '../../src/domain/outcome.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { expectWellFormedCard, wordsOf } from './cards.ts';
import { found, NONE, NOW, POSTED, type Script, stageLookup } from './commands/lookup-stage.ts';
import { PLACE } from './talk.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';
const MANY = Array.from({ length: 21 }, (_, index) => `00:1B:54:00:01:${10 + index}`).join(' ');
const FIRST_20 = 'That message holds 21 addresses. I look up the first 20.';
const LATE =
  'The NAC has not answered for every device yet. Nothing was posted. Please look up again in a moment.';
const TAKEN = 'The tokens were posted to the room.';
const REPORT = `Report number ${reportNumber('key-1')}. Tell it to whoever runs the bot.`;

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

describe('"Look up devices" on a message', () => {
  it('shows the session of its device, posts the tokens, says so, and audits', async () => {
    const { open, posts, audited, recent } = stage();
    const words = wordsOf(await open(`port 3: ${ONE} is down`));
    expect([words[0], words[1], words.at(-1)]).toEqual(['Connected', ONE, TAKEN]);
    const text = `${ONE} connected, sw-floor2-17 Gi1/0/15\nCorp_Wired_Access\nBasic_Authenticated_Access`;
    expect(posts).toEqual([{ key: expect.stringMatching(/^key-1 /), text }]);
    const line = { by: 'menu', person: 'alex', conversation: 'chat', outcome: 'found', posted: 'yes' };
    expect(audited).toMatchObject([line]);
    expect(recent.of('chat')).toEqual([]); // Others read the conversation's recent lookups, and not this card.
  });

  it('shows all fields if its button asks for them, and posts nothing', async () => {
    const { open, posts, audited } = stage();
    expect(JSON.stringify(await open(ONE, { isForFields: true }))).toContain('identity_group: ');
    expect(posts).toEqual([]);
    expect(audited).toMatchObject([{ by: 'fields', posted: 'nothing' }]);
  });

  it.each<[string, LookupOutcome['kind'] & ('no session' | 'busy'), string, string[]]>([
    ['several devices', 'no session', `${ONE} ${OTHER}`, [`${OTHER} no session ›`]],
    ['the first 20 of more', 'no session', MANY, ['20 devices: 20 no session.', FIRST_20]],
    ['a fault, with its number', 'busy', ONE, [REPORT]],
  ])('posts nothing without tokens, and shows %s', async (_, kind, text, expected) => {
    const { open, posts } = stage({ outcomes: { kind } });
    expect(wordsOf(await open(text))).toEqual(expect.arrayContaining(expected));
    expect(posts).toEqual([]);
  });

  it.each<[string, string, object, string]>([
    ['no address', 'thank you', {}, 'I see no MAC address in this message.'],
    ['an IP address', 'lookup 198.51.100.23', {}, 'I see no MAC address in this message.'],
    ['any number', 'the camera 00-11-22-33-44-55 is down', {}, 'Did you mean 00:11:22:33:44:55?'],
    ['a slip', 'port AA:BB:CC:DD:EE:0O', {}, 'Did you mean AA:BB:CC:DD:EE:00?'],
    ['a virtual gateway', 'HSRP 0000.0c07.ac0a', {}, '00:00:0C:07:AC:0A (HSRP group 10, a virtual gateway)'],
    ['what it cannot see', 'look', { unseen: ['picture'] }, 'I cannot see what is in a picture.'],
    ['one address too many for a minute', ONE, {}, 'Please try again in 13 s.'],
    ['no address in its first part', 'x', { isCut: true }, 'its first 32 KB, and found no address there'],
  ])('asks nobody about a message with %s', async (_, text, changes, words) => {
    const lookUp = () => Promise.reject(new Error('not asked here'));
    const { open } = stage({ lookUp, waitMs: 12_400 });
    expect(wordsOf(await open(text, changes)).join()).toContain(words);
  });
});

describe('the card of the message extension', () => {
  it("says 3.5 seconds after the call's arrival what is not answered yet, and offers all again", async () => {
    const slow = Promise.withResolvers<LookupOutcome>();
    const lookUp = async (address: string) => (address === OTHER ? slow.promise : found());
    const { open, posts, audited } = stage({ lookUp });
    const opened = open(`${ONE} ${OTHER}`, { arrivedAt: NOW - 3000 });
    await vi.advanceTimersByTimeAsync(500);
    const card = await opened;
    expect(wordsOf(card)[0]).toBe('1 of 2 answered so far.');
    expect(wordsOf(card).slice(-2)).toEqual([`${OTHER}: still asking`, LATE]);
    expect(JSON.stringify(card)).toContain('"title":"Look up all again"');
    slow.resolve(found());
    await vi.advanceTimersByTimeAsync(0);
    expect(posts).toEqual([]);
    const late = { outcome: 'found', posted: 'nothing', answeredAt: undefined };
    expect(audited).toMatchObject([late, late]);
  });

  it.each([
    [true, 'The tokens are on their way to the room.'],
    [false, 'The room has not taken the tokens yet, and I cannot promise that it will. Please look there.'],
  ])('promises after 4.3 seconds a post that is kept: %s', async (isKept, words) => {
    const ending = Promise.withResolvers<Delivery>();
    const late = { partly: false, kept: isKept, ending: ending.promise };
    const post = vi.fn<Services['room']['post']>(async () => ({ outcome: { kind: 'under way' }, ...late }));
    const { open, audited } = stage({ bot: { room: { post } } });
    expect(wordsOf(await open(ONE))).toEqual(expect.arrayContaining(['Connected', words]));
    expect(post.mock.calls).toMatchObject([[expect.any(String), expect.any(String), { withinMs: 4300 }]]);
    await vi.advanceTimersByTimeAsync(4300);
    ending.resolve(POSTED);
    await vi.advanceTimersByTimeAsync(0);
    expect(audited).toMatchObject([{ posted: 'yes', answeredAt: '2026-01-15T14:05:00.000Z' }]);
  });

  it.each([
    [3400, true],
    [3600, false],
  ])('tells the last attempts if they come in time: after %i ms, %s', async (ms, isTold) => {
    const history = () => after(ms).then(() => [{ passed: false }]);
    const { open } = stage({ outcomes: NONE, explain: { history } });
    const card = open(ONE);
    await vi.advanceTimersByTimeAsync(3500);
    expect(JSON.stringify(await card).includes('Refused')).toBe(isTold);
  });

  it.each<[string, Script]>([
    ['the NAC', { lookUp: () => failLate() }],
    ['the room', { bot: { room: { post: async () => ({ ...LATE_POST, ending: failLate() }) } } }],
  ])('does not wait for a bug of %s, which is logged', async (_, script) => {
    const { open, errors } = stage(script);
    const card = open(ONE);
    await vi.advanceTimersByTimeAsync(5000);
    await card;
    expect(errors).toMatchObject([{ message: 'a bug' }]);
  });
});

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)); // The faked one.

const LATE_POST = { outcome: { kind: 'under way' }, partly: false, kept: true } as const;

async function failLate(): Promise<never> {
  await after(4500);
  throw new Error('a bug');
}

function stage(script: Script = {}) {
  const { bot, report, ...noted } = stageLookup({ outcomes: found(), now: Date.now, ...script });
  const extension = createMessageExtension({ ...bot, report });
  const asker = { person: 'alex', place: PLACE, key: 'key-1', reader: readerFor({}, Date) };
  const call = { ...asker, isCut: false, unseen: [], isForFields: false, arrivedAt: NOW };
  const open = async (text: string, asked: Partial<Parameters<typeof extension>[0]> = {}) => {
    const card = await extension({ ...call, text, ...asked });
    expectWellFormedCard(card);
    return card;
  };
  return { open, ...noted };
}
