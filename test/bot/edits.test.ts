import { beforeEach, expect, it } from 'vitest';
import { createEdits, type Edits } from '../../src/bot/edits.ts';
import { activityOf } from './handle.ts';

const X = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';

const message = activityOf({});
const edit = activityOf({ type: 'messageUpdate', channelData: { eventType: 'editMessage' } });

let edits: Edits;
beforeEach(() => {
  edits = createEdits();
});

it('a message is a question, and when it is delivered again too', () => {
  for (const addresses of [[X], [X], []]) {
    expect(edits.isKnown(message)).toBe(true);
    expect(edits.take(message, addresses)).toBeDefined();
  }
});

it.each([
  [[], [X], true],
  [[X], [OTHER], true],
  [[X], [X, OTHER], true],
  [[X], [X], false],
  [[X, OTHER], [OTHER], false],
  [[X], [], false],
  [[], [], false],
])('an edit from %j to %j is a question: %s', (before, after, expected) => {
  edits.take(message, before);
  expect(edits.take(edit, after) !== undefined).toBe(expected);
});

it('an edit is compared with the edit before it', () => {
  edits.take(message, []);
  const answered = [[X], [X], [OTHER], [X]].map((addresses) => edits.take(edit, addresses) !== undefined);
  expect(answered).toEqual([true, false, true, true]);
});

it('an edit whose answer failed is a question again', () => {
  edits.take(message, []);
  edits.take(edit, [X])?.();
  expect(edits.take(edit, [X])).toBeDefined();
});

it('an edit of another message is not known', () => {
  edits.take(message, []);
  expect(edits.isKnown(edit)).toBe(true);
  expect(edits.isKnown({ ...edit, id: 'message-2' })).toBe(false);
  expect(edits.isKnown(activityOf({ ...edit, conversation: { id: 'other' } }))).toBe(false);
});

it('an edit of one of the last 10,000 messages is known', () => {
  for (let index = 0; index <= 10_000; index += 1) edits.take(activityOf({ id: `message-${index}` }), []);
  expect(edits.isKnown({ ...edit, id: 'message-0' })).toBe(false);
  expect(edits.isKnown({ ...edit, id: 'message-1' })).toBe(true);
});
