import type { Activity, TurnContext } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import { type Message, type Place, placeSchema } from '../../dialogs/format/message.ts';
import { TIMING } from '../../src/domain/timing.ts';
import { messageActivity } from '../../src/sandbox/chat.ts';
import { placeOf } from '../../src/teams/activity.ts';
import { DeliveryError } from '../../src/teams/adapter.ts';
import { type ReplyJob, replyJobSchema } from '../../src/teams/replies.ts';
import { openService } from './handle.ts';

const HOUR = 3_600_000;
const CARD: Message = {
  text: '`AA:BB`: connected.',
  summary: 'AA:BB: connected.',
  card: { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'Connected' }] },
};
const ATTACHED = [{ contentType: 'application/vnd.microsoft.card.adaptive', content: CARD.card }];
const SAID = { method: 'POST', conversationId: 'personal-chat', replyToId: 'question-1' };
const LONG = Array(4).fill('x'.repeat(9_999)).join('\n');

describe('a reply', () => {
  it('is said where the question stood, though the channel refuses it for now, while there is time', async () => {
    const { chat, kept, turn, replies } = await stage({ patienceMs: 5000, refused: [429, 412] });
    await turn((context) => replies.say(context, CARD));
    const activity = { type: 'message', attachments: ATTACHED, summary: 'AA:BB: connected.' };
    expect(chat.replies).toMatchObject([{ ...SAID, activity }]);
    expect([chat.replies.length, kept]).toEqual([1, []]);
  });

  it('that the channel refuses is kept with its card, and said later as it would have been', async () => {
    const refused = [{ status: 429, retryAfter: '30' }];
    const { chat, kept, waits, turn, replies } = await stage({ refused });
    await turn((context) => replies.say(context, CARD));
    expect(chat.replies).toEqual([]);
    expect(kept).toMatchObject([{ ...CARD, attempt: 1, place: { reference: { activityId: 'question-1' } } }]);
    expect(waits).toEqual([30_000]);
    expect(await replies.retry(fromDatabase(kept[0]))).toEqual({ kind: 'done' });
    const activity = { attachments: ATTACHED, summary: 'AA:BB: connected.', replyToId: 'question-1' };
    expect(chat.replies).toMatchObject([{ ...SAID, activity }]);
  });

  it.each([403, 404])('to a conversation that is gone (%i) is an error in its turn alone', async (status) => {
    const { chat, kept, log, turn, replies } = await stage();
    chat.refusals.push({ status }, { status });
    const error = { name: 'DeliveryError', reason: status };
    await expect(turn((context) => replies.say(context, CARD))).rejects.toMatchObject(error);
    await replies.sayLater(placeIn(chat.url), CARD);
    expect([chat.replies, kept]).toEqual([[], []]);
    expect(log.join()).toContain('a reply has no conversation to go to any more');
  });

  it.each([
    ['is full', async () => 'full' as const],
    ['is away', () => Promise.reject(new Error('no database'))],
  ])('that can be neither said nor kept, since the database %s, is an error', async (_, put) => {
    const { chat, turn, replies } = await stage({ put, refused: [400, 400] });
    await expect(turn((context) => replies.say(context, CARD))).rejects.toBeInstanceOf(DeliveryError);
    await expect(replies.sayLater(placeIn(chat.url), CARD)).rejects.toThrow();
  });

  it('that is long goes in pieces where no cards are shown, of which the one that is refused is kept', async () => {
    const { chat, kept, turn, replies } = await stage({ changes: { channelId: 'sms' } });
    const text = { ...CARD, text: LONG };
    await turn((context) => replies.say(context, text));
    expect(chat.replies.map(({ activity }) => String(activity.text).length)).toEqual([19_999, 19_999]);
    chat.refusals.push({ status: 400 });
    await turn((context) => replies.say(context, text));
    expect([chat.replies.length, kept.map((job) => job.text.length)]).toEqual([3, [19_999]]);
    expect(kept[0]).not.toHaveProperty('card');
  });
});

describe('a reply that was kept', () => {
  it('is kept for longer when it is refused again, for at least as long as the channel asks', async () => {
    const { chat, replies } = await stage({ refused: [{ status: 429, retryAfter: '400' }, 500] });
    const job = jobFor(placeIn(chat.url), 0, 2);
    const data = { ...job.data, attempt: 3 };
    expect(await replies.retry(job)).toEqual({ kind: 'again', data, afterMs: 400_000 });
    const again = await replies.retry({ data, ageMs: 0 });
    expect(again).toMatchObject({ kind: 'again', data: { ...CARD, attempt: 4 } });
    expect(again.kind === 'again' && again.afterMs).toBeGreaterThanOrEqual(4000);
    expect(await replies.retry(job)).toEqual({ kind: 'done' });
    expect(chat.replies).toHaveLength(1);
  });

  it('is given up after a day, and when its conversation is gone', async () => {
    const { chat, replies } = await stage({ refused: [500, 404] });
    const old = jobFor(placeIn(chat.url), 24 * HOUR);
    expect(await replies.retry(old)).toEqual({ kind: 'dead', reason: '500' });
    expect(await replies.retry(jobFor(placeIn(chat.url)))).toEqual({ kind: 'done' });
    expect(chat.replies).toEqual([]);
  });
});

it('what is of use only now gives the id of its message; it is not kept when it is refused, nor said in pieces', async () => {
  const { chat, kept, turn, replies } = await stage();
  const sayOnce = (message: Message) => turn((context) => replies.sayOnce(context, message, 0));
  chat.refusals.push({ status: 429, retryAfter: '1' });
  expect([await sayOnce(CARD), await sayOnce({ text: LONG })]).toEqual([undefined, undefined]);
  const { id } = { ...(await sayOnce(CARD)) };
  expect(id).toEqual(expect.any(String));
  expect([chat.replies.map((reply) => reply.id), kept]).toEqual([[id], []]);
});

describe('a private reply that its conversation refuses', () => {
  const ASK_ALONE =
    'I cannot answer one person alone in this conversation. Please ask me in a personal chat.';
  const isPrivate = { recipient: { id: 'bot', isTargeted: true } };

  it('becomes one sentence for everyone, without the answer, however long the answer is', async () => {
    const { chat, kept, turn, replies } = await stage({ changes: isPrivate, refused: [403] });
    await turn(async (context) => {
      expect(await replies.say(context, { text: LONG })).toBeUndefined();
      expect(await replies.say(context, CARD)).toBeUndefined();
    });
    expect(chat.replies).toMatchObject([{ ...SAID, isTargeted: false, activity: { text: ASK_ALONE } }]);
    expect(chat.replies[0]?.activity).not.toHaveProperty('entities');
    expect([chat.replies.length, kept]).toEqual([1, []]);
  });

  it('is so, too, when it was kept, and the sentence is kept where it is refused', async () => {
    const { chat, kept, turn, replies } = await stage({ changes: isPrivate, refused: [400, 403, 500] });
    await turn((context) => replies.say(context, CARD));
    const again = await replies.retry(fromDatabase(kept[0]));
    expect(again).toMatchObject({ kind: 'again', data: { text: ASK_ALONE } });
    if (again.kind !== 'again') throw new Error(again.kind);
    expect(again.data).not.toHaveProperty('card');
    expect(await replies.retry(fromDatabase(again.data))).toEqual({ kind: 'done' });
    expect(chat.replies).toMatchObject([{ isTargeted: false, activity: { text: ASK_ALONE } }]);
  });
});

describe('a replacement', () => {
  it.each<[string, Message, object]>([
    ['a card', CARD, { attachments: ATTACHED, summary: CARD.summary }],
    ['a text, which takes the card away', { text: 'Sent.' }, { text: 'Sent.', attachments: [] }],
  ])('puts %s in the place of a message', async (_, message, shown) => {
    const { chat, turn, replies } = await stage();
    expect(await turn((context) => replies.replace(context, 'card-1', message))).toBe(true);
    expect(await replies.sayLater(placeIn(chat.url), message, 'card-2')).toBe('card-2');
    const edit = { method: 'PUT', conversationId: 'personal-chat' };
    const edits = ['card-1', 'card-2'].map((id) => ({ ...edit, id, activity: { ...shown, id } }));
    expect(chat.replies).toMatchObject(edits);
  });

  it('is false where the channel refuses it, and nothing is said or kept', async () => {
    const { chat, kept, turn, replies } = await stage({ refused: [405] });
    expect(await turn((context) => replies.replace(context, 'card-1', CARD))).toBe(false);
    expect([chat.replies, kept]).toEqual([[], []]);
  });

  it('after the turn that the channel refuses is said anew', async () => {
    const { chat, replies } = await stage({ refused: [404] });
    const id = await replies.sayLater(placeIn(chat.url), CARD, 'card-1');
    expect(chat.replies).toMatchObject([{ ...SAID, id }]);
  });

  it('that is long puts its first piece there and says the others', async () => {
    const { chat, turn, replies } = await stage();
    await turn((context) => replies.replace(context, 'card-1', { text: LONG }));
    expect(chat.replies.map(({ method }) => method)).toEqual(['PUT', 'POST']);
  });
});

it('what is said later goes where the question stood; it has an id if the channel took it in one piece at once', async () => {
  const { chat, kept, replies } = await stage({ patienceMs: 5000 });
  const conversationId = '19:noc@thread.tacv2;messageid=1';
  const place = placeIn(chat.url, conversationId);
  chat.refusals.push({ status: 429 });
  const id = await replies.sayLater(place, CARD);
  expect(id).toEqual(expect.any(String));
  expect(chat.replies).toMatchObject([{ ...SAID, conversationId, id }]);
  expect(await replies.sayLater(place, { text: LONG })).toBeUndefined();
  chat.refusals.push({ status: 400 }, { status: 403 });
  expect(await replies.sayLater(place, CARD)).toBeUndefined();
  expect(kept).toMatchObject([{ ...CARD, place }]);
  expect(await replies.sayLater(place, CARD)).toBeUndefined(); // Its conversation is gone.
});

it('a reply that mentions its asker does so when it was kept, and in its first small piece', async () => {
  const { chat, kept, replies } = await stage({ refused: [400, 413] });
  await replies.sayLater(placeIn(chat.url, 'group'), { ...CARD, text: LONG, mentionsAsker: true });
  expect(await replies.retry(fromDatabase(kept[0]))).toMatchObject({
    kind: 'again',
    data: { mentionsAsker: true },
    afterMs: 0, // Nothing was refused for being too early.
  });
  expect(kept.slice(1).length).toBeGreaterThan(0);
  for (const other of kept.slice(1)) expect(other).not.toHaveProperty('mentionsAsker');
  await replies.retry(fromDatabase(kept[0]));
  const mention = { type: 'mention', text: '<at>Alex</at>', mentioned: { id: 'user-1', name: 'Alex' } };
  const shown = { attachments: [{ content: { msteams: { entities: [mention] } } }] };
  expect(chat.replies).toMatchObject([{ activity: shown }]);
});

/** Replies by a real connector to a chat service; what is kept is only remembered. @param refused how the channel refuses what comes first */
async function stage({
  changes = {},
  patienceMs = 300,
  put = async (): Promise<'put' | 'full'> => 'put',
  refused = [] as Array<number | { status: number; retryAfter?: string }>,
} = {}) {
  const [kept, waits]: [ReplyJob[], number[]] = [[], []];
  const keep = (_key: string, job: ReplyJob, afterMs = 0) => {
    kept.push(job);
    waits.push(afterMs);
    return put();
  };
  const timing = { ...TIMING, turnMs: patienceMs };
  const { service: chat, adapter, replies, log } = await openService({ queue: { put: keep }, timing });
  chat.refusals.push(...refused.map((each) => (typeof each === 'number' ? { status: each } : each)));
  const about = { id: 'question-1', channelId: 'msteams', ...changes };
  const question = { ...messageActivity(chat.url, 'x'), ...about } as unknown as Activity;
  return {
    chat,
    kept,
    waits,
    log,
    replies,
    async turn<T>(speak: (context: TurnContext) => Promise<T>): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<T>();
      await adapter.run(question, Date.now(), async (context) => resolve(await speak(context)));
      return promise;
    },
  };
}

/** A place as it comes back from the database. */
function placeIn(url: string, conversation = 'personal-chat'): Place {
  const activity = { ...messageActivity(url, 'x'), id: 'question-1', conversation: { id: conversation } };
  return placeSchema.parse(JSON.parse(JSON.stringify(placeOf(activity as unknown as Activity))));
}

function jobFor(place: Place, ageMs = 0, attempt = 1) {
  return { data: { ...CARD, place, attempt }, ageMs };
}

function fromDatabase(job: ReplyJob | undefined) {
  return { data: replyJobSchema.parse(JSON.parse(JSON.stringify(job))), ageMs: 0 };
}
