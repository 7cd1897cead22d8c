import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAlert } from '../../src/alerts/alert.ts';
import { timeOf } from '../time-of.ts';
import fields from './fields.json' with { type: 'json' };
import own from './own.json' with { type: 'json' };
import known from './public.json' with { type: 'json' };
import senders from './senders.json' with { type: 'json' };
import shapes from './shapes.json' with { type: 'json' };

/** A body and what is right. `maybe`: addresses that may be found, too. `title`: one of these is in it. `link`: null for none. `is`: exactly. */
type Case = {
  id: string;
  type?: string;
  macs: readonly string[];
  maybe?: readonly string[];
  title?: readonly string[];
  notRaw?: boolean;
  severity?: string;
  link?: string | null;
  state?: string;
  is?: object;
  /** How the clear ends: by an edit of the fire's message, or in any way. */
  end?: string;
  fire: unknown;
  clear?: unknown;
};

/** Reads a body as the server does: the alert's details, and its devices. */
function read(body: unknown) {
  const { details, devices } = readAlert(body);
  return { ...details, macs: devices };
}

const TABLES: Readonly<Record<string, readonly Case[]>> = {
  'a case of the issue': known,
  'a body of each kind': own,
  'the shape of a sender': [...senders, ...shapes],
};

describe.each(Object.keys(TABLES))('%s is read right:', (table) => {
  const cases = TABLES[table] ?? [];

  it.each(cases)('$id', ({ type, macs, maybe = [], title, notRaw, severity, link, state, is = {}, fire }) => {
    const alert = read(toBody(fire, type));
    expect(alert.macs.filter((mac) => !maybe.includes(mac))).toEqual(macs);
    if (title && macs.length > 0) expect(title.filter((each) => alert.title?.includes(each))).not.toEqual([]);
    if (notRaw) expect(alert.title).not.toBe(String(fire).slice(0, alert.title?.length));
    if (severity) expect(alert.severity).toBe(severity);
    if (link !== undefined) expect(alert.link ?? null).toBe(link);
    if (state) expect(alert.state).toBe(state);
    expect(alert).toMatchObject(is);
    expect(JSON.stringify(alert)).not.toContain('canary');
  });

  it.each(cases.filter(({ end }) => end))('$id, at its end', ({ type, end, fire, clear }) => {
    const { state, incidentKey } = read(toBody(clear, type));
    expect(state).toBe('resolved');
    if (end === 'same message')
      expect([incidentKey]).toEqual([read(toBody(fire, type)).incidentKey ?? expect.anything()]);
  });
});

function toBody(body: unknown, type = 'application/json'): unknown {
  return type.includes('form') ? Object.fromEntries(new URLSearchParams(String(body))) : body;
}

const BODIES = Object.values(TABLES)
  .flat()
  .flatMap(({ fire, clear }) => [fire, clear])
  .filter((body) => typeof body === 'object');

it.each(['payload', 'body', 'data', 'message', 'x'])('a body in an object %s says the same', (name) => {
  for (const body of BODIES) expect(read({ [name]: body })).toEqual(read(body));
});

it('a body says the same, whatever an unrelated field is called', () => {
  const aName = fc.stringMatching(/^(?:zone|floor|build|lane)_[a-z]{1,8}$/);
  const property = fc.property(fc.constantFrom(...BODIES), aName, aName, (body, one, other) => {
    expect(read({ ...Object(body), [one]: 7 })).toEqual(read({ ...Object(body), [other]: 7 }));
  });
  fc.assert(property);
});

it.each(fields)('$of of $body is $is', ({ of, body, is }) =>
  expect(Object(read(body))[of] ?? null).toEqual(is),
);

it('long states and names, open tags and ids far from hosts take no time', () => {
  const readAll = () => {
    read({ eventType: `${'a'.repeat(900_000)}!`, status: `${'a'.repeat(90_000)}(now: ` });
    read(`<${'00:00:00:00:00:00 '.repeat(10_000)}`);
    read(`a: b${'_'.repeat(50_000)}c`);
    const nest = (parts: object) => ({ ['n'.repeat(400_000)]: { a: parts } });
    const changed = [{ alert_id: 'x', alert_transition: 1 }, ...Array(30_000).fill({ hostname: 1 })];
    for (const parts of [Array(40_000).fill('a'), Array(50_000).fill({ id: 1 }), changed]) read(nest(parts));
    const ids = Array.from({ length: 10_000 }, () => ({ alert_id: '', alert_transition: 'x' }));
    read({ ids, others: Array.from({ length: 10_000 }, () => ({ host: 'h' })) });
    const signs = (n: number) => n.toString(4).replaceAll(/./g, (digit) => '-_ ,'.charAt(Number(digit)));
    const names = (first: string, second: string, value: unknown) =>
      Array.from({ length: 12_000 }, (_, n) => [first + signs(n) + second, value]);
    read(Object.fromEntries([...names('alert', 'id', 'a slug'), ...names('host', 'name', [])]));
  };
  expect(timeOf(readAll)).toBeLessThan(1000);
});
