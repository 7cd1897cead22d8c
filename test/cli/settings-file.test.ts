import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSettingsFile } from '../../src/cli/run.ts';
import { newFolder } from '../store/engines.ts';

async function read(content: string | Buffer, mode = 0o640) {
  const path = join(await newFolder(), 'settings.env');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return readSettingsFile(path);
}

/** Values as systemd 252 and 257 read them. */
it.each<[text: string, value: string]>([
  ['A=plain text ', 'plain text'],
  ['  A = padded', 'padded'],
  ['A=it is "quoted" inside', 'it is "quoted" inside'],
  ['A=$HOME', '$HOME'],
  ["A='# \\ \" ` $'", '# \\ " ` $'],
  ['A="it\'s # a"', "it's # a"],
  ['A="C:\\a\\b"', 'C:\\a\\b'],
  ['# A=1\n; B= \n\nA=2\r\n', '2'],
  ['A=1\nA=2', '2'],
  ['A=', ''],
])('%j has one meaning for systemd and Node', async (text, value) => {
  expect(await read(text)).toEqual({ values: { A: value } });
});

/** Reads each line by itself, without quotes, as systemd does. */
const valuesIn = (text: string) =>
  [...text.matchAll(/^[ \t]*(\w+)[ \t]*=(.*?)\r?$/gm)].map(([, name, value = '']) => [
    name,
    value.trim().replace(/^(['"])(.*)\1$/, '$2'),
  ]);

it('each accepted file is read line by line', async () => {
  const path = join(await newFolder(), 'settings.env');
  const part = fc.constantFrom(...'A B= \' " \\ # ; ` $ é'.split(' '), ' ', '\t', '\n', '\r\n', '\r');
  const isSame = (parts: readonly string[]) => {
    writeFileSync(path, `A=${parts.join('')}`);
    const file = readSettingsFile(path);
    if ('values' in file) expect(file.values).toEqual(Object.fromEntries(valuesIn(`A=${parts.join('')}`)));
  };
  fc.assert(fc.property(fc.array(part, { maxLength: 12 }), isSame), { numRuns: 2000 });
});

const TO_FILE = 'systemd and Node read the value of NAC_PASSWORD in different ways: use NAC_PASSWORD_FILE';

it.each<[text: string, fault: string]>([
  ['NAC_PASSWORD=canary#1', `line 1: ${TO_FILE}`],
  ['#\n\nNAC_PASSWORD=can\\ary', `line 3: ${TO_FILE}`],
  ['NAC_PASSWORD="can\\"ary"', `line 1: ${TO_FILE}`],
  ['NAC_PASSWORD="can\\nary"', `line 1: ${TO_FILE}`],
  ["NAC_PASSWORD='can'ary", `line 1: ${TO_FILE}`],
  ['NAC_PASSWORD=`canary`', `line 1: ${TO_FILE}`],
  ["NAC_PASSWORD='canary", `line 1: ${TO_FILE}`],
  [
    'NAC_USERNAME=CORP\\canary',
    'NAC_USERNAME in different ways: use NAC_USERNAME_FILE for a secret, and single quotes',
  ],
  ['NAC_URL=https://a \\\ncanary', 'line 1: systemd and Node read the value of NAC_URL'],
  ['# canary \\', 'line 1: this is neither NAME=VALUE nor a comment'],
  ['export A=canary', 'line 1: this is neither'],
  ['\ufeffA=canary', 'line 1: this is neither'],
  ['\rA=canary', 'line 1: this is neither'],
  ['A= \nB=canary', 'line 1: systemd and Node read the value of A in different ways'],
])('%j is refused, without its value', async (text, fault) => {
  const { values, ...rest } = { values: undefined, ...(await read(text)) };
  expect(rest).toEqual({ fault: expect.stringContaining(fault) });
  expect(JSON.stringify([values, rest])).not.toContain('canary');
});

it('the example of a settings file is read as it stands', () => {
  const path = fileURLToPath(new URL('../../deploy/settings.env.example', import.meta.url));
  expect(readSettingsFile(path)).toMatchObject({ values: { NAC_URL: 'https://nac.example.com' } });
});

it('every wrong line is named', async () => {
  const { fault } = { fault: '', ...(await read('A=1\nB=#\nC=2\nD=\\')) };
  expect(fault.match(/line \d/g)).toEqual(['line 2', 'line 4']);
});

it('a file that other users can read is used, with a warning', async () => {
  const warning = expect.stringMatching(/^Every user of this machine can read .*: chmod o-rwx \S+$/);
  expect(await read('A=1', 0o604)).toEqual({ values: { A: '1' }, warning });
});

it.each([
  ['/nonexistent/settings.env', 'The settings in /nonexistent/settings.env cannot be read (ENOENT)'],
  ['/', 'The settings in / cannot be read (EISDIR)'],
])('%s is named', (path, fault) =>
  expect(readSettingsFile(path)).toEqual({ fault: expect.stringContaining(fault) }),
);

it.each(['A=caf\xe9', 'A=\0'])('a file with %j, which is no text in UTF-8, is named', async (text) => {
  const fault = expect.stringContaining('no text in UTF-8');
  expect(await read(Buffer.from(text, 'latin1'))).toEqual({ fault });
});
