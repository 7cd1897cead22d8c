import { describe, expect, it } from 'vitest';
import { timeOf } from '../time-of.ts';
import fields from './fields.json' with { type: 'json' };
import { read } from './read.ts';
import bodies from './senders.json' with { type: 'json' };

/** A body in its sender's shape with values of our own, what is read in it, and what changes when it clears. */
type AlertBody = {
  sender: string;
  body: object | string;
  title: string;
  severity?: string;
  key?: string;
  macs?: readonly string[];
  source?: string;
  startsAt?: number;
  link?: string;
  /** What a clear says instead, over the body's own fields. Undefined if the sender tells no end. */
  clear?: object | string;
};

const ALERT_BODIES: readonly AlertBody[] = bodies;

describe('an alert in the shape of', () => {
  it.each(ALERT_BODIES)('$sender says what it is', (each) => {
    const { sender: _, body, severity, key, macs = [], clear, ...words } = each;
    expect(read(body)).toMatchObject({ severity, incidentKey: key, state: 'firing', macs, ...words });
    expect(JSON.stringify(read(body))).not.toContain('canary');
  });

  const ENDING = ALERT_BODIES.filter(({ clear }) => clear !== undefined);
  it.each(ENDING)('$sender says its end', ({ body, key, clear }) => {
    const cleared = typeof clear === 'string' ? clear : { ...Object(body), ...clear };
    expect(read(cleared)).toMatchObject({ state: 'resolved', incidentKey: key });
  });
});

it.each(fields)('$of of $body is $is', ({ of, body, is }) => {
  expect(Object(read(body))[of] ?? null).toEqual(is);
});

it('long states, open tags and ids far from their hosts take no time', () => {
  const readAll = () => {
    read({ eventType: `${'a'.repeat(900_000)}!`, status: `${'a'.repeat(90_000)}(now: ` });
    read(`<${'00:00:00:00:00:00 '.repeat(10_000)}`);
    const ids = Array.from({ length: 10_000 }, () => ({ alert_id: '', alert_transition: 'x' }));
    read({ ids, others: Array.from({ length: 10_000 }, () => ({ host: 'h' })) });
    const signs = (n: number) => n.toString(4).replaceAll(/./g, (digit) => '-_ ,'.charAt(Number(digit)));
    const names = (first: string, second: string, value: unknown) =>
      Array.from({ length: 12_000 }, (_, n) => [first + signs(n) + second, value]);
    read(Object.fromEntries([...names('alert', 'id', 'a slug'), ...names('host', 'name', [])]));
  };
  expect(timeOf(readAll)).toBeLessThan(1000);
});
