import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import own from './own.json' with { type: 'json' };
import known from './public.json' with { type: 'json' };
import { read } from './read.ts';
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
describe('a body says the same', () => {
  it.each(['payload', 'body', 'data', 'message', 'x'])('in an object called %s', (name) => {
    for (const body of BODIES) expect(read({ [name]: body })).toEqual(read(body));
  });

  it('whatever an unrelated field is called', () => {
    const aName = fc.stringMatching(/^(?:zone|floor|build|lane)_[a-z]{1,8}$/);
    const aBody = fc.constantFrom(...BODIES);
    const property = fc.property(aBody, aName, aName, (body, one, other) => {
      expect(read({ ...Object(body), [one]: 7 })).toEqual(read({ ...Object(body), [other]: 7 }));
    });
    fc.assert(property);
  });
});

it('any JSON is read without a fault', () => {
  const known = fc.constantFrom(...'url status id title active ends_at mac toString'.split(' '));
  const aName = fc.oneof(known, fc.string());
  const aBody = fc.letrec((tie) => ({
    value: fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(aName, tie('value'), { maxKeys: 6 }),
  })).value;
  const property = fc.property(aBody, (body) => {
    expect(['firing', 'resolved']).toContain(read(body).state);
  });
  fc.assert(property);
});
