import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatFor } from '../../dialogs/format/locale.ts';
import type { Unseen } from '../../dialogs/lookup/no-address.ts';
import { createMessageExtension } from '../../dialogs/message-extension.ts';
import type { LookupOutcome } from '../../src/domain/outcome.ts';
import type { AuditEntry } from '../../src/ops/audit.ts';
import type { Delivery } from '../../src/webhook/delivery.ts';
import { wordsOf } from './card-words.ts';
import { found, NOW, POSTED } from './commands/lookup-stage.ts';
import { PLACE } from './talk.ts';
import { expectWellFormedCard } from './well-formed.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

describe('"Look up devices" on a message', () => {
  it('shows the session of its device, posts the tokens, and says so', async () => {
    const { open, posts } = stage();
    const words = wordsOf(await open(`port 3: ${ONE} is down`));
    expect(words[0]).toBe('Connected');
    expect(words).toEqual(expect.arrayContaining([ONE, 'User: alex', 'Authorization: Corp_Wired_Access']));
    expect(words).toContain('The tokens were posted to the room.');
    expect(posts).toEqual([['key-1', `${ONE}\nCorp_Wired_Access\nBasic_Authenticated_Access`]]);
  });

  it('shows several devices', async () => {
    const { open } = stage({ lookUp: async () => ({ kind: 'no session' }) });
    expect(wordsOf(await open(`${ONE} ${OTHER}`))).toEqual([
      '2 devices: 2 no session.',
      'The NAC knows of no current session. Is the device plugged in and awake?',
      `${ONE} no session ›`,
      `${OTHER} no session ›`,
    ]);
  });

  it('posts nothing if there are no tokens', async () => {
    const { open, posts } = stage({ lookUp: async () => ({ kind: 'no session' }) });
    expect(wordsOf(await open(ONE))[0]).toBe('No session');
    expect(posts).toEqual([]);
  });

  it('shows all fields if its button asks for them, and posts nothing', async () => {
    const { open, posts } = stage();
    expect(JSON.stringify(await open('AA:BB:CC:DD:EE:FF', NOW, true))).toContain('identity_group: ');
    expect(posts).toEqual([]);
  });

  it('looks up the first 20 of more addresses, and says so', async () => {
    const text = Array.from({ length: 21 }, (_, index) => `00:1B:54:00:01:${10 + index}`).join(' ');
    const { open } = stage({ lookUp: async () => ({ kind: 'no session' }) });
    const words = wordsOf(await open(text));
    expect(words[0]).toBe('20 devices: 20 no session.');
    expect(words.at(-1)).toBe('That message holds 21 addresses. I look up the first 20.');
  });

  it('says what it cannot see if it sees no address', async () => {
    const { open } = stage();
    expect(wordsOf(await open('look', NOW, false, ['picture', 'file', 'picture']))).toEqual([
      'I cannot see what is in a picture or what is in a file. Please send me the MAC address as text.',
    ]);
    expect(wordsOf(await open(ONE, NOW, false, ['picture']))[0]).toBe('Connected');
  });

  it('offers digits that may be any number, and asks nobody', async () => {
    const { open } = stage({ lookUp: () => Promise.reject(new Error('not asked here')) });
    const card = await open('the camera 00-11-22-33-44-55 is down');
    expect(wordsOf(card)).toContain('Did you mean 00:11:22:33:44:55?');
    expect(card).toMatchObject({ actions: [{ data: { dialog: 'lookup', text: '00:11:22:33:44:55' } }] });
  });

  it.each([
    ['no address', 'thank you', 'I see no MAC address in this message.'],
    ['an IP address', 'lookup 198.51.100.23', 'I see no MAC address in this message.'],
  ])('asks nobody if the message holds %s', async (_, text, words) => {
    const { open } = stage({ lookUp: () => Promise.reject(new Error('not asked here')) });
    expect(wordsOf(await open(text))).toEqual([words]);
  });

  it('says after 3.5 seconds what is not answered yet, and posts nothing', async () => {
    const slow = Promise.withResolvers<LookupOutcome>();
    const { open, posts } = stage({
      lookUp: (address) => (address === OTHER ? slow.promise : Promise.resolve(found())),
    });
    const card = open(`${ONE} ${OTHER}`);
    await vi.advanceTimersByTimeAsync(3500);
    expect(wordsOf(await card)).toEqual([
      '1 of 2 answered so far.',
      `${ONE} connected ›`,
      'alex, sw-floor2-17, GigabitEthernet1/0/15, 2 hours ago',
      'Corp_Wired_Access',
      'Basic_Authenticated_Access',
      `${OTHER}: still asking`,
      'The NAC has not answered for every device yet. Nothing was posted. Please look up again in a moment.',
    ]);
    slow.resolve(found());
    await vi.advanceTimersByTimeAsync(0);
    expect(posts).toEqual([]);
  });

  it('offers to look up unanswered devices again', async () => {
    const { open } = stage({ lookUp: () => new Promise(() => {}) });
    const card = open(`${ONE} ${OTHER}`);
    await vi.advanceTimersByTimeAsync(3500);
    expect(await card).toMatchObject({
      actions: [{ title: 'Look up all again', data: { dialog: 'lookup', text: `${ONE} ${OTHER}` } }],
    });
  });

  it("counts the time from the call's arrival", async () => {
    const { open } = stage({ lookUp: () => new Promise(() => {}) });
    const card = open(ONE, NOW - 3000);
    await vi.advanceTimersByTimeAsync(500);
    expect(wordsOf(await card)[0]).toBe('0 of 1 answered so far.');
  });

  it('says that the tokens are on their way if the room does not answer in time', async () => {
    const delivery = Promise.withResolvers<Delivery>();
    const { open } = stage({ deliver: () => delivery.promise });
    const card = open(ONE);
    await vi.advanceTimersByTimeAsync(4300);
    const words = wordsOf(await card);
    expect(words[0]).toBe('Connected');
    expect(words).toContain('The tokens are on their way to the room.');
  });

  it('tells the delivery whether the card can still show the result of the post', async () => {
    const delivery = Promise.withResolvers<Delivery>();
    const asked: Array<() => boolean> = [];
    const { open } = stage({
      deliver(_key, _text, isTold = () => true) {
        asked.push(isTold);
        return delivery.promise;
      },
    });
    const card = open(ONE);
    await vi.advanceTimersByTimeAsync(4200);
    expect(asked.map((isTold) => isTold())).toEqual([true]);
    await vi.advanceTimersByTimeAsync(100);
    await card;
    expect(asked.map((isTold) => isTold())).toEqual([false]);
  });

  it.each([
    [3400, true],
    [3600, false],
  ])('tells the last attempts if they come in time for the card: after %i ms, %s', async (ms, isTold) => {
    const { open } = stage({
      lookUp: async () => ({ kind: 'no session' }),
      async explain(answers) {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return answers.map((answer) => ({ ...answer, attempts: [{ passed: false }] }));
      },
    });
    const card = open(ONE);
    await vi.advanceTimersByTimeAsync(3500);
    expect(wordsOf(await card).includes('Last attempts (24 hours)')).toBe(isTold);
  });

  it('says that the tokens were not posted if the room did not take them', async () => {
    const outcome = { kind: 'not found', final: true } as const;
    const { open } = stage({ deliver: async () => ({ outcome, partly: false, kept: false }) });
    expect(wordsOf(await open(ONE))).toContain(
      'The tokens were not posted to the room: its webhook does not exist (not found). Please pass them on yourself. Whoever runs the bot can check WEBHOOK_URL and WEBHOOK_TOKEN.',
    );
  });

  it.each<[string, Parameters<typeof stage>[0]]>([
    ['the NAC', { lookUp: () => failLate() }],
    ['the room', { deliver: () => failLate() }],
  ])('logs a bug of %s that comes too late for the card', async (_, script) => {
    const { open, errors } = stage(script);
    const card = open(ONE);
    await vi.advanceTimersByTimeAsync(5000);
    await card;
    expect(errors).toMatchObject([{ message: 'a bug' }]);
  });
});

describe('the audit of the message extension', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW }));
  afterEach(() => void vi.useRealTimers());

  it('has a line, and a number that stands on the card if something is wrong', async () => {
    const { open, audited } = stage();
    await open(ONE);
    await open(ONE, NOW, true);
    expect(audited).toMatchObject([
      { by: 'menu', person: 'alex', conversation: 'chat', outcome: 'found', posted: 'yes' },
      { by: 'fields', posted: 'nothing' },
    ]);
    const { open: openFailing } = stage({ lookUp: async () => ({ kind: 'busy' }) });
    expect(wordsOf(await openFailing(ONE)).at(-1)).toBe(`Report number ${audited[0]?.number}.`);
  });

  it('has a line of an answer that came too late for the card, without its time', async () => {
    const late = Promise.withResolvers<LookupOutcome>();
    const { open, audited } = stage({ lookUp: () => late.promise });
    const card = open(ONE);
    await vi.advanceTimersByTimeAsync(3500);
    await card;
    late.resolve(found());
    await vi.advanceTimersByTimeAsync(0);
    expect(audited).toMatchObject([{ outcome: 'found', posted: 'nothing', answeredAt: undefined }]);
  });

  it('says what became of a post that ends after the card is shown', async () => {
    const delivery = Promise.withResolvers<Delivery>();
    const { open, audited } = stage({ deliver: () => delivery.promise });
    const card = open(ONE);
    await vi.advanceTimersByTimeAsync(4300);
    await card;
    delivery.resolve(POSTED);
    await vi.advanceTimersByTimeAsync(0);
    expect(audited).toMatchObject([{ posted: 'yes', answeredAt: '2026-01-15T14:05:04.300Z' }]);
  });
});

describe('the message extension, asked too often', () => {
  it('says how long to wait, and asks nobody', async () => {
    const lookUp = () => Promise.reject(new Error('not asked here'));
    const { open, posts } = stage({ lookUp, limits: { take: () => 12_400 } });
    expect(JSON.stringify(await open('AA:BB:CC:DD:EE:FF'))).toContain('Please try again in 13 s.');
    expect(posts).toEqual([]);
  });
});

async function failLate(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 4500));
  throw new Error('a bug');
}

type Script = Partial<
  Pick<Parameters<typeof createMessageExtension>[0], 'lookUp' | 'deliver' | 'explain' | 'limits'>
> & {
  /** Whether the database takes a post that is under way. */
  isKept?: boolean;
};

function stage({
  lookUp = async () => found(),
  deliver,
  explain = async (answers) => answers,
  limits = { take: () => 0 },
  isKept = true,
}: Script = {}) {
  const posts: string[][] = [];
  const errors: unknown[] = [];
  const audited: AuditEntry[] = [];
  const extension = createMessageExtension({
    lookUp,
    explain,
    limits,
    async deliver(key, text, isTold) {
      posts.push([key, text]);
      return deliver ? deliver(key, text, isTold) : POSTED;
    },
    handOver: async () => isKept,
    audit: (entry) => void audited.push(entry),
    nacLink: undefined,
    now: Date.now,
    onError: (error) => void errors.push(error),
  });
  const format = formatFor({}, Date.now);
  const open = async (text: string, arrivedAt = NOW, isForFields = false, unseen: readonly Unseen[] = []) => {
    const card = await extension({
      text,
      isCut: false,
      unseen,
      person: 'alex',
      place: PLACE,
      key: 'key-1',
      isForFields,
      arrivedAt,
      format,
    });
    expectWellFormedCard(card);
    return card;
  };
  return { open, posts, errors, audited };
}
