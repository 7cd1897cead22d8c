import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message } from '../../../dialogs/format/message.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { buttonsOf } from '../cards.ts';
import { converse } from '../talk.ts';
import { DOWN, found, NONE, NOT_POSTED, NOW, type Script, stageLookup } from './lookup-stage.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';
const AGAIN = 'Look up again';
const TOKENS = { selected_azn_profiles: 'Corp_Access', other: {} };
const AT_PORT = 'connected, sw-floor2-17 Gi1/0/15';
const TOKENS_POST = `${ONE} ${AT_PORT}\nCorp_Access`;
const NEW = found({ ...TOKENS, selected_azn_profiles: 'New_Access' });
const EDIT = { kind: 'replaced', id: 'card-1' };
const AT = '14:05 UTC';

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

describe('a press of "Look up again"', () => {
  it.each<[string, boolean, Script, object, string[], posted: string]>([
    ['edits the card, and posts nothing anew', true, {}, EDIT, [], 'nothing'],
    ['is answered anew if the card cannot be edited', false, {}, { kind: 'said' }, [], 'nothing'],
    ['posts what the room did not take', true, { delivery: NOT_POSTED }, EDIT, [TOKENS_POST], 'no'],
  ])('%s', async (_, canReplace, script, deed, posts, posted) => {
    const room = stage({ [ONE]: found(TOKENS) }, script);
    const { deeds, message } = await room.press(await room.ask(ONE), AGAIN, { canReplace });
    expect(deeds).toMatchObject([deed]);
    for (const said of [message.text, message.summary, JSON.stringify(message.card)])
      expect(said).toContain(`Unchanged since ${AT}.`);
    expect(room.posts()).toEqual([TOKENS_POST, ...posts]);
    expect(room.audited[1]).toMatchObject({ by: 'press', tokens: 1, posted });
  });

  it('says what has changed, in text, notification and card, and posts the tokens of the changed alone', async () => {
    const room = stage({ [ONE]: found(TOKENS), [OTHER]: found({ ...TOKENS, passed: 'false' }) });
    const asked = await room.ask(`${ONE} ${OTHER}`);
    room.nac[OTHER] = NEW;
    const { text, summary, card } = (await room.press(asked, 'Look up all again')).message;
    expect(text).toContain(`\n\nChanged since ${AT}: \`${OTHER}\` (was \`rejected\`).`);
    for (const said of [summary, JSON.stringify(card)])
      expect(said).toContain(`Changed since ${AT}: ${OTHER} (was rejected).`);
    expect(room.posts().slice(1)).toEqual([`${OTHER} ${AT_PORT}\nNew_Access`]);
  });
});

describe('a press while the same press is under way', () => {
  it.each([
    ['joins it: one lookup, one edit, one post', 'card-1', [1, 0], 2],
    ['does not join one on another card', 'card-2', [1, 1], 3],
  ])('%s', async (_, cardId, deeds, calls) => {
    const { room, asked, slow } = await answered();
    const presses = [room.begin(asked, { key: 'press-1' }), room.begin(asked, { cardId, key: 'press-2' })];
    slow.resolve(NEW);
    await Promise.all(presses.map(({ ended }) => ended));
    expect(presses.map((each) => each.deeds.length)).toEqual(deeds);
    expect(room.calls()).toBe(calls);
    expect(room.posts()).toHaveLength(calls);
  });

  it('joins it after the turn too, and is a press of its own once the answer has come', async () => {
    const { room, asked, slow } = await answered();
    const first = room.begin(asked, { key: 'press-1' });
    await vi.advanceTimersByTimeAsync(9000);
    await first.ended;
    const second = room.begin(asked, { key: 'press-2' });
    await second.ended;
    slow.resolve(found(TOKENS));
    await vi.advanceTimersByTimeAsync(0);
    expect(second.deeds).toEqual([]);
    expect(room.later).toMatchObject([EDIT]);
    const third = room.begin(asked, { key: 'press-3' });
    await third.ended;
    expect(third.deeds).toMatchObject([EDIT]);
  });
});

describe('a press that takes a while', () => {
  it('turns the card into what is asked, again at the end of the turn, and into the answer, from its job too', async () => {
    const { room, asked, slow } = await answered();
    const { deeds, ended } = room.begin(asked);
    await vi.advanceTimersByTimeAsync(2000);
    const asking = { ...EDIT, text: `Still asking the NAC about \`${ONE}\`.` };
    expect(deeds).toEqual([asking]);
    await vi.advanceTimersByTimeAsync(6000);
    await ended;
    expect(deeds.slice(1)).toEqual([{ ...asking, text: `${asking.text} The answer will come here.` }]);
    expect(room.jobs).toMatchObject([{ job: { messageId: 'card-1', was: { at: NOW } } }]);
    slow.resolve(found(TOKENS));
    await vi.advanceTimersByTimeAsync(0);
    const text = expect.stringMatching(new RegExp(`\nUnchanged since ${AT}\\.$`));
    expect(room.later).toMatchObject([{ ...EDIT, text }]);
    expect(room.posts()).toEqual([TOKENS_POST]);
    const next = stage({ [ONE]: NEW }); // Another process.
    for (const { job, key } of room.jobs) await next.resume(job, key);
    const changed = expect.stringContaining(`Changed since ${AT}: other tokens.`);
    expect(next.later).toMatchObject([{ ...EDIT, text: changed }]);
    expect(next.posts()).toEqual([`${ONE} ${AT_PORT}\nNew_Access`]);
    expect(next.audited).toMatchObject([{ by: 'press' }]);
  });

  it('is shown in a new message if the edit is refused, and the answer replaces that one', async () => {
    const { room, asked, slow } = await answered();
    const { deeds, ended } = room.begin(asked, { canReplace: false });
    await vi.advanceTimersByTimeAsync(8000);
    await ended;
    expect(deeds.map(({ kind }) => kind)).toEqual(['said once', 'said once']);
    slow.resolve(found(TOKENS));
    await vi.advanceTimersByTimeAsync(0);
    expect(room.later).toMatchObject([{ kind: 'replaced', id: 'message-2' }]);
  });

  it('keeps what was said for the devices that are asked again later', async () => {
    const { room, asked, slow } = await answered();
    slow.resolve(DOWN);
    await room.press(asked);
    expect(room.jobs).toMatchObject([{ job: { was: { at: NOW }, by: 'press' } }]);
  });
});

/** A room with an answer; the NAC lets the next question wait. */
async function answered() {
  const room = stage({ [ONE]: found(TOKENS) });
  const asked = await room.ask(ONE);
  return { room, asked, slow: room.isSlow() };
}

type Sending = { cardId?: string; canReplace?: boolean; key?: string };

/** A chat in which the NAC's answers change. Each question comes a minute after the last. */
function stage(nac: Record<string, LookupOutcome>, script: Script = {}) {
  let slow: Promise<LookupOutcome> | undefined;
  let calls = 0;
  const { dialog, answer, posts, ...noted } = stageLookup({
    now: Date.now,
    async lookUp(address) {
      calls++;
      return slow ?? nac[address] ?? NONE;
    },
    ...script,
  });
  const begin = (message: Message, { cardId = 'card-1', ...changes }: Sending = {}, title = AGAIN) => {
    const data = buttonsOf(message).find((each) => each.title === title)?.data ?? {};
    return converse([dialog], '', { arrivedAt: Date.now(), ...changes, submission: { data, cardId } });
  };
  return {
    ...noted,
    ask: answer,
    nac,
    isSlow() {
      const waiting = Promise.withResolvers<LookupOutcome>();
      slow = waiting.promise;
      return waiting;
    },
    async press(asked: Message, title = AGAIN, changes: Sending = {}) {
      vi.setSystemTime(Date.now() + 60_000);
      const { deeds, messages, ended } = begin(asked, changes, title);
      await ended;
      return { deeds, message: messages[0] ?? { text: 'no answer' } };
    },
    begin,
    calls: () => calls,
    posts: () => posts.map(({ text }) => text),
  };
}
