import { describe, expect, it } from 'vitest';
import * as reading from '../../src/teams/activity.ts';
import { activityOf } from './activities.ts';

const { keyOf, personOf, placeOf, submissionOf } = reading;
const mentionOf = (id: string) => ({ type: 'mention', text: '<at>x</at>', mentioned: { id } });

describe('a message', () => {
  it('has one key when it is repeated, and one a conversation', () => {
    const key = keyOf(activityOf({ text: 'one' }));
    expect(keyOf(activityOf({ text: 'other' }))).toBe(key);
    expect(keyOf(activityOf({ id: 'message-2' }))).not.toBe(key);
    expect(keyOf(activityOf({ conversation: { id: 'chat;messageid=1' } }))).not.toBe(key);
  });

  it('has another key for each edit, and the same for its repeat', () => {
    const edit = { type: 'messageUpdate', channelData: { eventType: 'editMessage' } };
    const at = (second: number) => activityOf({ ...edit, timestamp: `2026-01-15T14:02:0${second}.123Z` });
    expect(keyOf(at(1))).toBe(keyOf({ ...at(1), text: 'x' }));
    expect(new Set([keyOf(activityOf({})), keyOf(at(1)), keyOf(at(2))])).toHaveLength(3);
    for (const timestamp of ['x'.repeat(10_000), { x: 'x'.repeat(10_000) }])
      expect(keyOf(activityOf({ ...edit, timestamp })).length).toBeLessThan(100);
  });

  it.each([
    [new Date(92_000), 92_000],
    ['1970-01-01T00:01:32Z', 92_000],
    [undefined, NaN],
    ['yesterday', NaN],
    [{}, NaN],
  ])('was written at %j: %d', (timestamp, ms) =>
    expect(reading.writtenAtOf(activityOf({ timestamp }))).toBe(ms),
  );

  it('is of the person in the directory, else in the chat service', () => {
    expect(personOf(activityOf({}))).toBe('megan');
    expect(personOf(activityOf({ from: { id: '29:guest' } }))).toBe('29:guest');
    const elsewhere = { channelId: 'webchat', from: { id: 'u', aadObjectId: 'megan' } };
    expect(personOf(activityOf(elsewhere))).toBe('webchat:u');
    expect(personOf(activityOf({ from: undefined }))).toBe('');
  });

  it.each([
    ['in a channel without a mention', 'channel', {}, true],
    ['in a channel with the mention of another', 'channel', { entities: [mentionOf('megan')] }, true],
    ['in a channel with its mention', 'channel', { entities: [mentionOf('megan'), mentionOf('bot')] }, false],
    ['in a channel from a button', 'channel', { value: { dialog: 'lookup' } }, false],
    ['in a personal chat', 'personal', {}, false],
    ['in a group chat without a mention', 'groupChat', {}, true],
    ['in a group of no kind', undefined, { conversation: { id: 'c', isGroup: true } }, true],
    ['in a channel with a value of null', 'channel', { value: null }, true],
    ['in a chat of no kind', undefined, { conversation: { id: 'c', isGroup: false } }, false],
  ])('is addressed to others: %s', (_, conversationType, changes, overheard) => {
    const conversation = { id: 'c', conversationType };
    expect(reading.isUnaddressed(activityOf({ conversation, ...changes }))).toBe(overheard);
  });
});

it('what a button sends is a value without a text, with the id of its card', () => {
  const value = { dialog: 'lookup', text: 'AA:BB' };
  const submission = { data: value, cardId: 'card-1' };
  for (const text of [undefined, '', ' \n'])
    expect(submissionOf(activityOf({ value, text, replyToId: 'card-1' }))).toEqual(submission);
  for (const other of [undefined, null, [value], 'help'])
    expect(submissionOf(activityOf({ value: other }))).toBeUndefined();
  expect(submissionOf(activityOf({ value, text: 'lookup' }))).toBeUndefined();
});

it("a place is where a message's sender asked, with its zone", () => {
  const conversation = { id: 'c;messageid=1', tenantId: 'tenant' };
  const asked = activityOf({ conversation, localTimezone: 'Europe/Berlin' });
  const place = placeOf(asked);
  const { serviceUrl } = asked;
  const there = { serviceUrl, channelId: 'msteams', conversation };
  expect(reading.addressTo(place, {})).toMatchObject({ ...there, replyToId: 'message-1' });
  const reference = { ...there, activityId: 'message-1' };
  expect(place).toMatchObject({ reference, timeZone: 'Europe/Berlin' });
  expect(placeOf(activityOf({}))).not.toHaveProperty('timeZone');
});

it.each([
  ['personal', { conversationType: 'personal' }, true],
  ['a channel', { conversationType: 'channel' }, false],
  ['of no known kind', {}, true],
  ['a group of no known kind', { isGroup: true }, false],
])('a place is personal if nobody else reads it: %s', (_, kind, personal) =>
  expect(reading.isPersonal(activityOf({ conversation: { id: 'c', ...kind } }))).toBe(personal),
);
