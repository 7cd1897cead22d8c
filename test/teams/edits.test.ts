import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Activity } from 'botbuilder';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Route } from '../../dialogs/route.ts';
import { keyOf } from '../../src/teams/activity.ts';
import { createEdits } from '../../src/teams/admission.ts';
import { activityOf } from './activities.ts';

const X = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';
const message = activityOf({});
const edit = activityOf({ type: 'messageUpdate', channelData: { eventType: 'editMessage' } });

let edits: ReturnType<typeof createEdits>;
beforeEach(() => {
  edits = createEdits();
});

const routeOf = (...addresses: string[]) =>
  ({ kind: 'run', command: 'lookup', text: '', addresses, notes: [] }) as unknown as Route;

async function asks(activity: Activity, ...addresses: string[]): Promise<boolean> {
  const run = vi.fn(async () => undefined);
  await edits.answer(activity, routeOf(...addresses), run);
  return run.mock.calls.length === 1;
}

it.each([
  [[], [[X], [X], [OTHER], [X]], [true, false, true, true]],
  [[X], [[X], [OTHER]], [false, true]],
])('a message with %j is edited to %j: these are questions: %j', async (before, edited, expected) => {
  for (const again of [before, before]) expect(await asks(message, ...again)).toBe(true);
  expect(edits.earlierOf(message)).toBeUndefined();
  const answered: boolean[] = [];
  for (const addresses of edited) answered.push(await asks(edit, ...addresses));
  expect(answered).toEqual(expected);
});

it('an edit whose answer failed is a question again', async () => {
  await asks(message);
  const failing = edits.answer(edit, routeOf(X), () => Promise.reject(new Error('not delivered')));
  await expect(failing).rejects.toThrow('not delivered');
  expect(await asks(edit, X)).toBe(true);
});

it('an edit of one of the last 10,000 messages is known, and no other', async () => {
  for (let index = 0; index <= 10_000; index += 1) await asks(activityOf({ id: `message-${index}` }));
  const other = { id: 'message-1', conversation: { id: 'other' } };
  for (const changes of [{ id: 'message-0' }, { id: 'message-10001' }, other])
    expect(edits.earlierOf({ ...edit, ...changes } as Activity)).toBeUndefined();
  expect(edits.earlierOf({ ...edit, id: 'message-1' })).toBeDefined();
});

it.each([
  [routeOf(X), 'x'.repeat(30_000)],
  [routeOf(), 'x'.repeat(30_000)],
  [{ kind: 'reply', message: { text: 'x'.repeat(30_000) } } as Route, ''],
])('a message is remembered without its text', async (route, text) => {
  await edits.answer(message, { ...route, text } as Route, async () => 'answer-1');
  expect(JSON.stringify(edits.earlierOf(edit)).length).toBeLessThan(2000);
});

it('an edit waits for the earlier turn, and gets the id of its answer', async () => {
  const { promise: first, resolve: say } = Promise.withResolvers<string | undefined>();
  const run = vi.fn(async () => 'answer-2');
  const turns = [edits.answer(message, routeOf(X), () => first), edits.answer(edit, routeOf(OTHER), run)];
  await nextTurn();
  expect(run).not.toHaveBeenCalled();
  say('answer-1');
  await Promise.all(turns);
  expect(run.mock.calls).toMatchObject([[{ key: keyOf(message), messageId: 'answer-1' }]]);
});

it.each([true, false])('an edit is targeted as its message was: %s', async (isTargeted) => {
  await asks(activityOf({ recipient: { id: 'bot', isTargeted } }), X);
  expect(edits.earlierOf(edit)).toMatchObject({ isTargeted });
});
