import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Arrival,
  admitNew,
  afterPost,
  afterTelling,
  differenceOf,
  type Incident,
  type Storm,
  takeAlert,
  takeAnswer,
  unheard,
  writeLine,
} from '../../src/domain/incident.ts';

type Known = Incident<string, string>;

const START = 1_000;
const MINUTE = 60_000;

function alert(seq: number, changes: Partial<Arrival<string>> = {}): Arrival<string> {
  const told = { state: 'firing', head: `alert ${seq}`, addresses: ['A'], leftOut: 0, number: 7 } as const;
  return { seq, at: START + seq, ...told, ...changes };
}

const answer = (said: string, at = START) => ({ at, fingerprint: said, said });

/** Takes alerts, or answers about the device A, one after another. */
function incidentAfter(events: ReadonlyArray<Arrival<string> | string>, known?: Known): Known {
  const last = events.reduce<Known | undefined>(
    (incident, event) =>
      typeof event === 'string'
        ? takeAnswer(incident, 'A', answer(event)).incident
        : takeAlert(incident, event).incident,
    known,
  );
  if (last === undefined) throw new Error('nothing is known');
  return last;
}

function told(incident: Known): Known {
  return afterTelling(afterPost(incident, incident), incident, { messageId: 'm', isInDigest: false });
}

const RESOLVED = { state: 'resolved' } as const;
const AT_5 = { startsAt: 5 };

describe('an alert', () => {
  it('of a new incident asks for its devices, and is told soon', () => {
    const incident = { state: 'firing', times: 1, since: 1001 };
    const step = takeAlert<string, string>(undefined, alert(1));
    expect(step).toMatchObject({ ask: ['A'], tell: 'soon', incident });
    expect(differenceOf(incidentAfter([alert(1)]))).toBe('new');
  });

  it('that ends an incident of which nothing is known is silent, unless it names a device', () => {
    const silent = { incident: undefined, ask: [], tell: 'no' };
    expect(takeAlert(undefined, alert(1, { ...RESOLVED, addresses: [] }))).toEqual(silent);
    expect(takeAlert<string, string>(undefined, alert(1, RESOLVED)).incident?.state).toBe('resolved');
  });

  it.each([
    ['a repeat', alert(2), 'again', 2],
    ['the end', alert(2, RESOLVED), 'resolved', 1],
    ['the end without a device', alert(2, { ...RESOLVED, addresses: [] }), 'resolved', 1],
    ['the end, and the clock was set back', alert(2, { ...RESOLVED, at: START - 25_000 }), 'resolved', 1],
  ])('that is %s is told again, and asks for no device that has just answered', (_, next, news, times) => {
    const step = takeAlert(told(incidentAfter([alert(1), 'well'])), next);
    expect(step.ask).toEqual([]);
    expect(step.incident && differenceOf(step.incident)).toBe(news);
    expect(step.incident).toMatchObject({ times, devices: [{ address: 'A', answer: { said: 'well' } }] });
  });

  it('asks again about a device whose answer is a minute old, and not about one that is still asked for', () => {
    const later = { at: START + MINUTE };
    expect(takeAlert(incidentAfter([alert(1), 'well']), alert(2, later)).ask).toEqual(['A']);
    expect(takeAlert(incidentAfter([alert(1)]), alert(2, later)).ask).toEqual([]);
  });

  it('that fires after the end reopens the incident, or begins another if it began at another time', () => {
    const ended = told(incidentAfter([alert(1, AT_5), 'well', alert(2, { ...AT_5, ...RESOLVED })]));
    expect(differenceOf(incidentAfter([alert(3, { startsAt: 5 })], ended))).toBe('reopened');
    const endedLater = incidentAfter([alert(3, { startsAt: 9, ...RESOLVED })], { ...ended, state: 'firing' });
    expect(incidentAfter([alert(4, { startsAt: 5 })], told(endedLater)).firstSeq).toBe(1);
    const another = incidentAfter([alert(3, { startsAt: 9 })], ended);
    expect([differenceOf(another), another.times, another.posted]).toEqual(['new', 1, undefined]);
  });

  it.each([
    ['reopened', 5 * MINUTE - 1],
    ['new', 5 * MINUTE],
  ])('that fires after the end, and says no beginning, is %s after %i ms', (news, afterMs) => {
    const ended = told(incidentAfter([alert(1), 'well', alert(2, RESOLVED)]));
    const newsOf = (changes: object) => differenceOf(incidentAfter([alert(3, changes)], ended));
    expect(newsOf({ at: ended.arrivedAt + afterMs })).toBe(news);
    expect(newsOf({ ...RESOLVED, at: START + 9 * MINUTE })).toBe('again');
  });

  it('that arrived before the last one changes no state, and adds its devices', () => {
    const ended = alert(3, { ...RESOLVED, addresses: [] });
    const known = incidentAfter([alert(1, { addresses: ['A', 'C'] }), ended]);
    const step = takeAlert(known, alert(2, { addresses: ['A', 'B'] }));
    expect(step).toMatchObject({ ask: ['B'], incident: { state: 'resolved', times: 2, head: 'alert 3' } });
  });

  it('that is taken twice counts once, and asks again for what is not answered', () => {
    const known = incidentAfter([alert(1)]);
    expect(takeAlert(known, alert(1))).toEqual({ incident: known, ask: ['A'], tell: 'soon' });
  });
});

describe('an answer', () => {
  it('is told at once if it is the last, soon if the incident was told, else with the first message', () => {
    const two = alert(1, { addresses: ['A', 'B'] });
    const first = incidentAfter([two]);
    expect(takeAnswer(first, 'A', answer('well')).tell).toBe('no');
    expect(takeAnswer(told(first), 'A', answer('well')).tell).toBe('soon');
    expect(takeAnswer(incidentAfter(['well'], first), 'B', answer('well')).tell).toBe('now');
  });

  it.each([
    ['a device that is answered', 'A', 'soon'],
    ['a device of no alert', 'C', 'no'],
  ])('about %s changes nothing', (_, address, tell) => {
    const known = incidentAfter([alert(1), 'well']);
    expect(takeAnswer(known, address, answer('other'))).toEqual({ incident: known, ask: [], tell });
  });
});

describe('what was told', () => {
  it('is news no more, and the room hears of what has changed or gone', () => {
    const known = told(incidentAfter([alert(1), 'well']));
    expect([differenceOf(known), unheard(known)]).toEqual(['nothing', { changed: [], gone: [] }]);
    const later = incidentAfter([alert(2, { at: START + MINUTE }), 'rejected'], known);
    expect(unheard(later)).toEqual({ changed: ['rejected'], gone: [] });
    const other = incidentAfter([alert(2, { addresses: ['B'] })], known);
    expect(unheard(other)).toEqual({ changed: [], gone: ['A'] });
  });

  it('of an incident before is not remembered of the next', () => {
    const ended = incidentAfter([alert(1, { startsAt: 5 }), alert(2, { startsAt: 5, ...RESOLVED })]);
    const next = incidentAfter([alert(3, { startsAt: 9 })], ended);
    expect(afterPost(next, ended)).toBe(next);
    expect(afterTelling(next, ended, { messageId: 'm', isInDigest: false })).toBe(next);
  });

  it('is the last state in the end, in whatever order alerts are taken', () => {
    const state = fc.constantFrom('firing' as const, 'resolved' as const);
    const ranked = fc.array(fc.record({ state, rank: fc.nat() }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(ranked, (all) => {
        const arrivals = all.map((each, index) => ({ ...alert(index + 1, { startsAt: 5 }), ...each }));
        const last = incidentAfter(arrivals.toSorted((one, other) => one.rank - other.rank));
        expect(last.state).toBe(all.at(-1)?.state);
        expect(last.times).toBe(all.filter((each) => each.state === 'firing').length);
      }),
    );
  });
});

const afterTen = (at = 0): Storm => ({ said: Array(10).fill(at) });
const line = (incident: string, words = incident) => ({ incident, words });
const digestOf = (...all: ReturnType<typeof line>[]) =>
  all.reduce((storm, each) => writeLine(storm, each, 0), afterTen());

it('a thread has ten messages of its own in 30 s, or if the clock was set back, and then a digest', () => {
  const nine = { said: Array(9).fill(0) };
  expect(admitNew(nine, 0)).toEqual({ storm: afterTen(), isInDigest: false });
  expect(admitNew(afterTen(), 29_999)).toEqual({ storm: afterTen(), isInDigest: true });
  expect(admitNew(afterTen(), 30_000).isInDigest).toBe(false);
  expect(admitNew(afterTen(60_000), 0).isInDigest).toBe(false);
});

describe('a digest', () => {
  it('has one line for each incident, which changes with it', () => {
    const { said, digest } = digestOf(line('a'), line('b'), line('a', 'resolved'));
    expect(digest?.lines).toEqual([line('a', 'resolved'), line('b')]);
    expect(said).toHaveLength(10);
  });

  it('counts incidents that have no line', () => {
    const { digest } = digestOf(...Array.from({ length: 62 }, (_, index) => line(`${index}`)));
    expect(digest).toMatchObject({ lines: { length: 60 }, more: 2 });
  });

  it('is another one ten minutes later', () => {
    expect(writeLine(digestOf(line('a')), line('b'), 10 * 60_000).digest?.lines).toEqual([line('b')]);
    expect(writeLine(undefined, line('a'), 0).digest?.lines).toEqual([line('a')]);
  });
});
