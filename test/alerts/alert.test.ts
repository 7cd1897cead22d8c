import { expect, it } from 'vitest';
import { timeOf } from '../time-of.ts';
import fields from './fields.json' with { type: 'json' };
import { read } from './read.ts';

it.each(fields)('$of of $body is $is', ({ of, body, is }) => {
  expect(Object(read(body))[of] ?? null).toEqual(is);
});

it('long states, open tags and ids far from their hosts take no time', () => {
  const readAll = () => {
    read({ eventType: `${'a'.repeat(900_000)}!`, status: `${'a'.repeat(90_000)}(now: ` });
    read(`<${'00:00:00:00:00:00 '.repeat(10_000)}`);
    read(`a: b${'_'.repeat(50_000)}c`);
    const ids = Array.from({ length: 10_000 }, () => ({ alert_id: '', alert_transition: 'x' }));
    read({ ids, others: Array.from({ length: 10_000 }, () => ({ host: 'h' })) });
    const signs = (n: number) => n.toString(4).replaceAll(/./g, (digit) => '-_ ,'.charAt(Number(digit)));
    const names = (first: string, second: string, value: unknown) =>
      Array.from({ length: 12_000 }, (_, n) => [first + signs(n) + second, value]);
    read(Object.fromEntries([...names('alert', 'id', 'a slug'), ...names('host', 'name', [])]));
  };
  expect(timeOf(readAll)).toBeLessThan(1000);
});
