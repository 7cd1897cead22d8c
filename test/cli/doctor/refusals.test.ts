import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRefusals, REST_MS } from '../../../src/cli/doctor/refusals.ts';
import { newFolder } from './diagnose.ts';

const NOW = Date.UTC(2026, 0, 1);
const open = (directory: string, { now = NOW } = {}) => openRefusals({ directory, now: () => now });

it('holds system, user name and end of the rest, for its owner alone', () => {
  const directory = join(newFolder(), 'below');
  expect(open(directory).note('NAC', 'svc')).toBe(true);
  const [name = '', ...others] = readdirSync(directory);
  expect(others).toEqual([]);
  expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(directory, name), 'utf8'))).toEqual([
    { system: 'NAC', username: 'svc', until: NOW + REST_MS },
  ]);
});

it('an account rests for its time, alone, and is forgotten when it is accepted', () => {
  const directory = newFolder();
  open(directory).note('NAC', 'svc');
  open(directory, { now: NOW + 1000 }).note('ticket', 'svc');
  expect(open(directory, { now: NOW + 1000 }).left('NAC', 'svc')).toBe(REST_MS - 1000);
  expect(open(directory).left('NAC', 'other')).toBe(0);
  expect(open(directory, { now: NOW + REST_MS }).left('NAC', 'svc')).toBe(0);
  open(directory, { now: NOW + 2000 }).forget('NAC', 'svc');
  expect(open(directory, { now: NOW + 2000 }).left('NAC', 'svc')).toBe(0);
  expect(open(directory, { now: NOW + 2000 }).left('ticket', 'svc')).toBe(REST_MS - 1000);
});

it('a clock that was set back makes no rest longer', () => {
  const directory = newFolder();
  open(directory).note('NAC', 'svc');
  expect(open(directory, { now: NOW - 86_400_000 }).left('NAC', 'svc')).toBe(0);
});

it('a damaged file counts as empty, and is replaced', () => {
  const directory = newFolder();
  open(directory).note('NAC', 'svc');
  writeFileSync(join(directory, 'doctor-refusals.json'), '[{"system":');
  expect(open(directory).left('NAC', 'svc')).toBe(0);
  expect(open(directory).note('NAC', 'svc')).toBe(true);
  expect(open(directory).left('NAC', 'svc')).toBe(REST_MS);
});
