import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDatabaseSettings } from '../../src/settings/database-settings.ts';

it('the database is all that is read, whatever else is wrong', () => {
  expect(
    readDatabaseSettings({ PORT: 'x', NAC_URL: 'no address', WEBHOOK_TOKEN_FILE: '/nonexistent' }),
  ).toEqual({
    settings: { directory: '.data' },
  });
  expect(readDatabaseSettings({ DATA_DIR: '/var/lib/bot' })).toEqual({
    settings: { directory: '/var/lib/bot' },
  });
});

it('the address of a server may stand in a file, and goes before a folder', () => {
  const directory = mkdtempSync(join(tmpdir(), 'database-'));
  const path = join(directory, 'url');
  writeFileSync(path, 'postgres://db.example/bot\n');
  const read = readDatabaseSettings({ DATABASE_URL_FILE: path, DATA_DIR: '/var/lib/bot' });
  expect('settings' in read && 'url' in read.settings && read.settings.url.reveal()).toBe(
    'postgres://db.example/bot',
  );
  rmSync(directory, { recursive: true });
});

it.each([
  [{ DATABASE_URL: 'mysql://canary' }, 'DATABASE_URL'],
  [{ DATABASE_URL_FILE: '/nonexistent' }, 'DATABASE_URL_FILE'],
])('a wrong one is named: %j', (environment, name) => {
  const read = readDatabaseSettings(environment);
  expect('problems' in read && read.problems[0]?.name).toBe(name);
  expect(JSON.stringify(read)).not.toContain('canary');
});
