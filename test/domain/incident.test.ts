import { describe, expect, it } from 'vitest';
import * as rules from '../../src/domain/incident.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';

type Head = rules.AlertDetails;
type Incident = rules.Incident<string>;

const mac = (last: string) => `00:1B:54:00:00:${last}` as MacAddress;
const [A, B, C] = [mac('0A'), mac('0B'), mac('0C')];
const MINUTE = 60_000;
const FIRING: Head = { state: 'firing', startsAt: 1000 };

let requests = 0;
function arrival(
  at: number,
  addresses: MacAddress[],
  changes: Partial<Head> = {},
  request = `request ${requests++}`,
): rules.Arrival {
  return { details: { ...FIRING, ...changes }, at, addresses, request, leftOut: 0 };
}

function take(known: Incident | undefined, ...alert: Parameters<typeof arrival>): Incident {
  const taken = rules.takeAlert(known, arrival(...alert));
  if (taken === undefined) throw new Error('nothing is known');
  return taken;
}

const answer = (known: Incident, address: string, text: string) =>
  rules.takeAnswers(known, new Map([[address, text]]));

const publish = (known: Incident): Incident => {
  return { ...known, isPublished: true, shown: { state: known.head.state } };
};

const addressesOf = (devices: ReadonlyArray<{ address: string }>) => devices.map(({ address }) => address);

describe('an alert', () => {
  it('that ends an unknown incident is silent, unless it names a device', () => {
    expect(rules.takeAlert(undefined, arrival(1000, [], { state: 'resolved' }))).toBeUndefined();
    expect(take(undefined, 1000, [A], { state: 'resolved' })).toMatchObject({ times: 0 });
  });

  it('that is a repeat of a request changes nothing', () => {
    const first = take(undefined, 1000, [A], {}, 'same');
    expect(rules.takeAlert(first, arrival(2000, [B], {}, 'same'))).toBe(first);
  });

  it('that is repeated counts, and asks for no device that has just answered', () => {
    const answered = answer(take(undefined, 1000, [A, B]), A, 'connected');
    const repeated = take(answered, 3000, [A, B, C]);
    expect(repeated.times).toBe(2);
    expect(addressesOf(rules.unanswered(repeated.devices))).toEqual([B, C]);
  });

  it('asks again about a device that was asked about a minute ago', () => {
    const answered = answer(take(undefined, 1000, [A]), A, 'connected');
    expect(rules.unanswered(take(answered, 1000 + MINUTE, [A]).devices)).toHaveLength(1);
  });

  it('that ends an incident keeps the details that it does not repeat', () => {
    const first = take(undefined, 1000, [A], { title: 'Port down', severity: 'high', incidentKey: 'x' });
    const { head } = take(first, 3000, [], { state: 'resolved', severity: 'low' });
    expect(head).toMatchObject({ state: 'resolved', title: 'Port down', severity: 'low', incidentKey: 'x' });
  });

  it('without a device keeps the devices of its incident', () => {
    const answered = answer(take(undefined, 1000, [A]), A, 'connected');
    const ended = take(answered, 3000, [], { state: 'resolved' });
    expect([addressesOf(ended.devices), rules.unanswered(ended.devices)]).toEqual([[A], []]);
  });

  it.each([
    ['at the same beginning reopens it', { startsAt: 1000 }, 3000, false],
    ['at another beginning is new', { startsAt: 2500 }, 3000, true],
    ['without a beginning, soon, reopens it', { startsAt: undefined }, 2000 + 4 * MINUTE, false],
    ['without a beginning, later, is new', { startsAt: undefined }, 2000 + 5 * MINUTE, true],
  ])('that fires after the end, %s', (_, changes, at, isNew) => {
    const startsAt = changes.startsAt === undefined ? { startsAt: undefined } : {};
    const ended = take(take(undefined, 1000, [A], startsAt), 2000, [], { state: 'resolved', ...startsAt });
    const fired = take(ended, at, [B], changes);
    expect(fired.times === 1).toBe(isNew);
  });

  it('of a firing incident belongs to it, whatever its beginning', () => {
    const known = take(undefined, 1000, [A]);
    expect(take(known, 2000, [A], { startsAt: 500 })).toMatchObject({ since: 500, times: 2 });
  });
});

it('an answer is to be published again', () => {
  const shown = publish(take(undefined, 1000, [A]));
  expect(answer(shown, A, 'connected').isPublished).toBe(false);
});

it('an incident is resolved and reopened in its thread', () => {
  const ended = take(publish(take(undefined, 1000, [A])), 2000, [], { state: 'resolved' });
  expect(rules.hasNewState(ended)).toBe(true);
  expect(rules.hasNewState(publish(ended))).toBe(false);
  expect(rules.hasNewState(take(publish(ended), 3000, [A]))).toBe(true);
});
