import { describe, expect, it } from 'vitest';
import type { DeviceAnswer } from '../../../dialogs/answers/device-answer.ts';
import {
  type Arrival,
  addressesOf,
  afterPosting,
  afterTelling,
  arrivalOf,
  historyOf,
  type Incident,
  incidentId,
  incidentSchema,
  isSame,
  newsOf,
  type Step,
  stepOf,
} from '../../../dialogs/jobs/incident.ts';
import { findMacAddresses } from '../../../src/mac-address.ts';
import { found } from '../commands/lookup-stage.ts';
import { PLACE } from '../talk.ts';

const MINUTE = 60_000;
const TEN = Date.UTC(2026, 0, 15, 10);
const ELEVEN = TEN + 60 * MINUTE;
const [ONE, OTHER] = ['00:1B:54:00:00:01', '00:1B:54:00:00:02'];

/** An alert that arrives some minutes after its incident began. */
function arrival(state: Arrival['state'], changes: Partial<Arrival> = {}): Arrival {
  return { alert: `${state}-1`, state, startsAt: TEN, arrivedAt: TEN + 5 * MINUTE, ...changes };
}

function answer(text: string, outcome: DeviceAnswer['outcome'] = { kind: 'no session' }): DeviceAnswer {
  const [address = raise()] = findMacAddresses(text);
  return { asked: address, address, outcome };
}

/** What is remembered when room and thread were told of an alert. */
function told(last: Incident | undefined, step: Step, alert: Arrival, ...answers: DeviceAnswer[]): Incident {
  const posted = afterPosting(last, step, alert, { answers, isKept: false });
  return afterTelling(posted, step, alert, { answers, messageId: 'm-1' });
}

const firing = told(undefined, 'new', arrival('firing'), answer(ONE));
const resolved = told(firing, 'resolved', arrival('resolved'), answer(ONE));
const later = { alert: 'later', arrivedAt: TEN + 90 * MINUTE };

describe('an alert of an incident', () => {
  it.each<[string, Incident | undefined, Arrival, Step]>([
    ['nothing was told, firing', undefined, arrival('firing'), 'new'],
    ['nothing was told, resolved', undefined, arrival('resolved'), 'new'],
    ['firing, and fires', firing, arrival('firing', later), 'again'],
    [
      'firing, and fires with a later beginning',
      firing,
      arrival('firing', { ...later, startsAt: ELEVEN }),
      'again',
    ],
    [
      'firing, and fires without a beginning',
      firing,
      arrival('firing', { ...later, startsAt: undefined }),
      'again',
    ],
    ['firing, and is resolved', firing, arrival('resolved', later), 'resolved'],
    [
      'firing, and is resolved with another beginning',
      firing,
      arrival('resolved', { ...later, startsAt: ELEVEN }),
      'resolved',
    ],
    ['resolved, and is resolved', resolved, arrival('resolved', later), 'again'],
    ['resolved, and fires with the same beginning', resolved, arrival('firing', later), 'reopened'],
    [
      'resolved, and fires with a new beginning',
      resolved,
      arrival('firing', { ...later, startsAt: ELEVEN }),
      'new',
    ],
    [
      'resolved, and is resolved with a new beginning',
      resolved,
      arrival('resolved', { ...later, startsAt: ELEVEN }),
      'new',
    ],
    [
      'resolved, and an earlier alert fires',
      resolved,
      arrival('firing', { alert: 'x', arrivedAt: TEN }),
      'stale',
    ],
    [
      'resolved, and an earlier alert fires with another beginning',
      resolved,
      arrival('firing', { alert: 'x', arrivedAt: TEN, startsAt: ELEVEN }),
      'stale',
    ],
    [
      'firing, and an earlier alert is resolved',
      firing,
      arrival('resolved', { alert: 'x', arrivedAt: TEN }),
      'stale',
    ],
    ['firing, and an alert of the same moment fires', firing, arrival('firing', { alert: 'x' }), 'again'],
    ['firing, and the same alert comes again', firing, arrival('firing'), 'told'],
  ])('%s', (_, last, alert, step) => {
    expect(stepOf(last, alert)).toBe(step);
  });

  it('of a sender that says no beginning: firing, resolved, firing is one incident', () => {
    const without = { startsAt: undefined };
    const first = told(undefined, 'new', arrival('firing', without));
    const second = told(first, 'resolved', arrival('resolved', without));
    expect(stepOf(second, arrival('firing', { ...without, ...later }))).toBe('reopened');
    expect(stepOf(second, arrival('firing', later))).toBe('new');
  });

  it('that says neither firing nor resolved counts as firing', () => {
    expect(arrivalOf('k', { state: 'unknown', startsAt: TEN }, ELEVEN)).toMatchObject({
      state: 'firing',
      startsAt: TEN,
      arrivedAt: ELEVEN,
    });
  });
});

describe('the history of an incident', () => {
  it('begins with the earliest time that is known, and counts the alerts that fire', () => {
    const second = arrival('firing', { ...later, startsAt: ELEVEN });
    expect(historyOf(undefined, 'new', arrival('firing'))).toEqual({ since: TEN, times: 1 });
    expect(historyOf(firing, 'again', second)).toEqual({ since: TEN, times: 2 });
    expect(historyOf(firing, 'resolved', arrival('resolved', later))).toEqual({ since: TEN, times: 1 });
    expect(historyOf(resolved, 'reopened', arrival('firing', later))).toEqual({ since: TEN, times: 2 });
    expect(historyOf(resolved, 'new', second)).toEqual({ since: ELEVEN, times: 1 });
  });

  it('begins with its first alert if the sender says no beginning', () => {
    expect(historyOf(undefined, 'new', arrival('firing', { startsAt: undefined }))).toEqual({
      since: TEN + 5 * MINUTE,
      times: 1,
    });
  });
});

describe('the news of an alert', () => {
  const { posted } = told(undefined, 'new', arrival('firing'), answer(ONE), answer(OTHER, found()));
  const newsFor = (step: Step, ...answers: DeviceAnswer[]) => {
    const { changed, gone } = newsOf(step, posted, answers);
    return [changed.map(({ address }) => address), gone];
  };

  it('are nothing if devices, verdicts and tokens are as before, in any order', () => {
    expect(newsFor('again', answer(OTHER, found()), answer(ONE))).toEqual([[], []]);
    expect(newsFor('again', answer(ONE), answer(OTHER, found({ nas_port_id: 'elsewhere' })))).toEqual([
      [],
      [],
    ]);
  });

  it.each<[string, DeviceAnswer]>([
    ['verdict', answer(OTHER, found({ passed: 'false' }))],
    ['tokens', answer(OTHER, { kind: 'found', tokens: ['Another_Token'], record: {}, text: '' })],
  ])('are devices with another %s', (_, differs) => {
    expect(newsFor('resolved', answer(ONE), differs)).toEqual([[OTHER], []]);
  });

  it('are devices that come and go', () => {
    const third = answer('00:1B:54:00:00:03');
    expect(newsFor('again', answer(ONE), third)).toEqual([[third.address], [OTHER]]);
    expect(newsFor('new', answer(ONE))).toEqual([[ONE], []]);
  });

  it('of a stale alert are only what nobody was told', () => {
    expect(newsFor('stale', answer(ONE))).toEqual([[], []]);
    expect(newsFor('stale', answer('00:1B:54:00:00:03'))).toEqual([['00:1B:54:00:00:03'], []]);
  });
});

describe('what is remembered', () => {
  it('can be stored', () => {
    expect(incidentSchema.parse(JSON.parse(JSON.stringify(resolved)))).toEqual(resolved);
  });

  it('of an alert that the thread has not heard makes the same alert be told there, with its count', () => {
    const posted = afterPosting(undefined, 'new', arrival('firing'), {
      answers: [answer(ONE)],
      isKept: true,
    });
    expect(stepOf(posted, arrival('firing'))).toBe('again');
    expect(newsOf('again', posted.posted, [answer(ONE)])).toEqual({ changed: [], gone: [] });
    expect(isSame(posted.devices, [answer(ONE)])).toBe(false);
    expect(historyOf(posted, 'again', arrival('firing'))).toEqual({ since: TEN, times: 1 });
    expect([posted.isKept, addressesOf(posted)]).toEqual([true, [ONE]]);
    const anew = afterPosting(resolved, 'new', arrival('firing'), { answers: [answer(ONE)], isKept: false });
    expect(anew.messageId).toBeUndefined();
  });

  it('leaves what the room was told as it was, if the room refused the post', () => {
    const toThread = { answers: [answer(OTHER)], messageId: 'm-1' };
    const after = afterTelling(firing, 'again', arrival('firing', later), toThread);
    expect(after.posted).toEqual(firing.posted);
    expect(addressesOf(after)).toEqual([OTHER]);
    expect(afterTelling(undefined, 'new', arrival('firing', later), toThread).posted).toEqual({});
  });

  it('of a stale alert is only what the room was told', () => {
    const after = told(resolved, 'stale', arrival('firing', { alert: 'x', arrivedAt: TEN }), answer(OTHER));
    expect(after).toEqual({ ...resolved, posted: expect.anything() });
    expect(Object.keys(after.posted).toSorted()).toEqual([ONE, OTHER]);
  });

  it('has a bound', () => {
    let last = resolved;
    for (let n = 100; n < 300; n++) {
      const each = answer(`00:1B:54:00:0${String(n)[0]}:${String(n).slice(1)}`);
      last = told(last, 'stale', arrival('firing'), each);
    }
    expect(Object.keys(last.posted)).toHaveLength(100);
    expect(newsOf('stale', last.posted, [answer('00:1B:54:00:02:99')]).changed).toEqual([]);
    expect(addressesOf({ ...last, devices: {} })).toHaveLength(20);
    const long = { answers: [], messageId: 'x'.repeat(1001) };
    expect(afterTelling(undefined, 'new', arrival('firing'), long).messageId).toBeUndefined();
  });

  it('belongs to one incident at one place, or to a name without a place', () => {
    const elsewhere = { reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'elsewhere' } } };
    const ids = [
      incidentId('k', PLACE, 'core'),
      incidentId('other', PLACE, 'core'),
      incidentId('k', elsewhere, 'core'),
      incidentId('k', undefined, 'core'),
      incidentId('k', undefined, undefined),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(incidentId('k', PLACE, 'renamed')).toBe(ids[0]);
  });
});

function raise(): never {
  throw new Error('not an address');
}
