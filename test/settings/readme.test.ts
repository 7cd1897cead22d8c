import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fields } from '../../src/settings/schema.ts';

const ROWS = readRows(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'));
/** Proxies have names in lower case too, which the table names in its words. */
const NAMES = Object.keys(fields.shape).filter((name) => !/^[a-z]/.test(name));

it("the README's table has each setting once, and no other", () => {
  expect(ROWS.flatMap(({ names }) => names).toSorted()).toEqual(NAMES.toSorted());
});

it('the README says each default that the schema has', () => {
  const defaults = Object.entries(fields.parse({})).filter(([, value]) => typeof value !== 'boolean');
  const expected = defaults.map(([name, value]) => [
    name,
    typeof value === 'object' ? 'verify' : String(value),
  ]);
  expect(defaults.map(([name]) => [name, defaultOf(name)])).toEqual(expected);
});

/** The default in the column beside a name; several names have as many defaults. */
function defaultOf(name: string): string | undefined {
  const row = ROWS.find(({ names }) => names.includes(name));
  const values = row?.defaults.split(',').map((value) => value.replaceAll('`', '').trim()) ?? [];
  return values.length === 1 ? values[0] : values[row?.names.indexOf(name) ?? -1];
}

/** The rows of the table under "Settings". */
function readRows(readme: string): Array<{ names: string[]; defaults: string }> {
  const [, section = ''] = readme.split(/^## Settings$/m);
  const [table = ''] = section.split(/^## /m);
  return [...table.matchAll(/^\| (`[^|]+) \|([^|]*)\| /gm)].map(([, names = '', defaults = '']) => ({
    names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    defaults,
  }));
}
