import { describe, expect, it } from 'vitest';
import * as rules from '../../src/domain/incident.ts';

type Incident = rules.Incident<string, string>;

const MINUTE = 60_000;
const FIRING = { state: 'firing', head: 'port down', leftOut: 0, number: 123_456, startsAt: 1000 } as const;

let requests = 0;
const arrival = (at: number, addresses: string[], changes: object = {}): rules.Arrival<string> => ({
  ...FIRING,
  at,
  addresses,
  request: `request ${requests++}`,
  ...changes,
});

function take(known: Incident | undefined, ...alert: Parameters<typeof arrival>): Incident {
  const taken = rules.takeAlert(known, arrival(...alert));
  if (taken === undefined) throw new Error('nothing is known');
  return taken;
}

const answer = (known: Incident, address: string, text: string, at = 2000) =>
  rules.takeAnswers(known, new Map([[address, { at, fingerprint: text, answer: text }]]));

const addressesOf = (devices: ReadonlyArray<{ address: string }>) => devices.map(({ address }) => address);

describe('an alert', () => {
  it('begins an incident whose devices are asked', () => {
    const incident = take(undefined, 1000, ['A', 'B']);
    expect(addressesOf(rules.unanswered(incident))).toEqual(['A', 'B']);
    expect(rules.differenceOf(incident)).toBe('new');
  });

  it('that ends an unknown incident is silent, unless it names a device', () => {
    expect(rules.takeAlert(undefined, arrival(1000, [], { state: 'resolved' }))).toBeUndefined();
    expect(take(undefined, 1000, ['A'], { state: 'resolved' })).toMatchObject({
      state: 'resolved',
      times: 0,
    });
  });

  it('that is a repeat of a request changes nothing', () => {
    const first = take(undefined, 1000, ['A'], { request: 'same' });
    expect(rules.takeAlert(first, arrival(2000, ['B'], { request: 'same' }))).toBe(first);
  });

  it('that is repeated counts, and asks for no device that has just answered', () => {
    const answered = answer(take(undefined, 1000, ['A', 'B']), 'A', 'connected');
    const repeated = take(answered, 3000, ['A', 'B', 'C']);
    expect(repeated.times).toBe(2);
    expect(addressesOf(rules.unanswered(repeated))).toEqual(['B', 'C']);
  });

  it('asks again about a device whose answer is a minute old', () => {
    const answered = answer(take(undefined, 1000, ['A']), 'A', 'connected');
    expect(rules.unanswered(take(answered, 2000 + MINUTE, ['A']))).toHaveLength(1);
  });

  it('without a device keeps the devices of its incident', () => {
    const answered = answer(take(undefined, 1000, ['A']), 'A', 'connected');
    const ended = take(answered, 3000, [], { state: 'resolved' });
    expect([addressesOf(ended.devices), rules.unanswered(ended)]).toEqual([['A'], []]);
  });

  it.each([
    ['at the same beginning reopens it', { startsAt: 1000 }, 3000, false],
    ['at another beginning is new', { startsAt: 2500 }, 3000, true],
    ['without a beginning, soon, reopens it', { startsAt: undefined }, 2000 + 4 * MINUTE, false],
    ['without a beginning, later, is new', { startsAt: undefined }, 2000 + 5 * MINUTE, true],
  ])('that fires after the end, %s', (_, changes, at, isNew) => {
    const startsAt = changes.startsAt === undefined ? { startsAt: undefined } : {};
    const ended = take(take(undefined, 1000, ['A'], startsAt), 2000, [], { state: 'resolved', ...startsAt });
    const fired = take(ended, at, ['B'], changes);
    expect(fired.times === 1 && fired.version === 1).toBe(isNew);
  });

  it('of a firing incident belongs to it, whatever its beginning', () => {
    expect(take(take(undefined, 1000, ['A']), 2000, ['A'], { startsAt: 500 })).toMatchObject({
      since: 500,
      times: 2,
    });
  });
});

describe('an answer', () => {
  it('that is known changes nothing', () => {
    const answered = answer(take(undefined, 1000, ['A']), 'A', 'connected');
    expect(answer(answered, 'A', 'rejected')).toBe(answered);
    expect(answer(answered, 'X', 'rejected')).toBe(answered);
  });

  it('is to be published again', () => {
    const shown = rules.afterPublishing(take(undefined, 1000, ['A']), { messageId: '1', isInDigest: false });
    expect(rules.differenceOf(shown)).toBe('nothing');
    expect(rules.differenceOf(answer(shown, 'A', 'connected'))).toBe('again');
  });
});

describe('the room', () => {
  const posted = rules.afterPost(answer(take(undefined, 1000, ['A']), 'A', 'connected'));

  it('gets what has changed or gone', () => {
    expect(rules.notYetPosted(posted)).toEqual({ changed: [], gone: [] });
    const changed = answer(take(posted, 5 * MINUTE, ['B']), 'B', 'rejected', 5 * MINUTE);
    expect(rules.notYetPosted(changed)).toEqual({ changed: ['rejected'], gone: ['A'] });
  });

  it('has a waiting post only once it has taken it', () => {
    const waiting = rules.afterPost(answer(take(posted, 5 * MINUTE, ['B']), 'B', 'rejected'), 'post 2');
    expect(rules.notYetPosted(waiting).changed).toEqual(['rejected']);
    expect(rules.notYetPosted(rules.afterWaiting(waiting, true)).changed).toEqual([]);
    expect(rules.notYetPosted(rules.afterWaiting(waiting, false)).changed).toEqual(['rejected']);
  });
});

it('an incident is resolved and reopened in its thread', () => {
  const shown = rules.afterPublishing(take(undefined, 1000, ['A']), { messageId: '1', isInDigest: false });
  const ended = take(shown, 2000, [], { state: 'resolved' });
  expect(rules.differenceOf(ended)).toBe('resolved');
  const again = take(rules.afterPublishing(ended, { isInDigest: false }), 3000, ['A']);
  expect(rules.differenceOf(again)).toBe('reopened');
});
