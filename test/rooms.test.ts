import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

const READING = 'src/nac/reading';
const EDGES = ['src/nac', 'src/credentials', 'src/webhook', 'src/store', 'src/ops'];
const FLOORS = ['commands', 'alerts', 'watch', 'lookup', 'dialog', 'render'];
const DIALOGS = ['dialogs', ...FLOORS.map((room) => `dialogs/${room}`)];

const WHOLE = ['src/settings', 'src/app'];

/** The rooms that each room may import. A room is a folder and the file of the same name beside it, or a single file. */
const MAY: Record<string, readonly string[]> = {
  'src/domain': [],
  'src/alerts': ['src/domain'],
  'src/http': ['src/domain'],
  [READING]: ['src/domain', 'src/http'],
  ...Object.fromEntries(EDGES.map((edge) => [edge, ['src/domain', 'src/http', READING]])),
  ...Object.fromEntries(
    DIALOGS.map((room, floor) => [room, ['src/domain', READING, ...DIALOGS.slice(floor + 1)]]),
  ),
  'src/teams': ['src/domain', 'src/http', ...DIALOGS],
  'src/server': ['src/domain', 'src/alerts', 'src/http', ...DIALOGS],
  'src/settings': ['src/domain', 'src/http'],
  manifest: ['src/domain', 'src/settings'],
  'src/sandbox': ['src/domain'],
  'src/app': ['src/domain', 'src/http', ...EDGES, ...DIALOGS, 'src/teams', 'src/server', 'src/settings'],
  'src/cli': ['src/domain', 'src/http', ...EDGES, READING, ...DIALOGS, 'src/teams', ...WHOLE, 'manifest'],
  'src/check-node': [],
  'src/main': ['src/check-node', 'src/domain', 'src/settings', 'src/ops', 'src/app'],
};

const TYPES_FOR_DIALOGS = [...EDGES, 'src/http', 'src/alerts'];

const PURE = /^src\/(?:domain|alerts)\//;

const PURE_PACKAGES = ['entities', 'fastest-levenshtein', 'htmlparser2', 'node:net', 'zod'];

/** The makers' registry is a constant of 5 MB, which one file reads when a maker is first asked for. */
const REGISTRY = { file: 'src/domain/mac-address.ts', reads: ['node:fs', 'node:module'] };

const FILES = globSync('{src,dialogs,manifest}/**/*.ts', { cwd: ROOT }).toSorted();
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

type Import = { file: string; target: string; isType: boolean };

const IMPORTS = FILES.flatMap((file): Import[] =>
  [...read(file).matchAll(/(\b(?:im|ex)port type\b[^;']*?)?(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(
    ([, type, path = '']) => {
      const target = path.startsWith('.') ? normalize(join(dirname(file), path)) : path;
      return { file, target, isType: type !== undefined };
    },
  ),
);

function roomOf(file: string): string {
  const fits = (room: string) => file.replace(/\.c?[jt]s$/, '') === room || file.startsWith(`${room}/`);
  const [room] = Object.keys(MAY)
    .filter(fits)
    .sort((one, other) => other.length - one.length);
  if (room === undefined) throw new Error(`${file} has no room: the plan in test/rooms.test.ts names them`);
  return room;
}

function isAllowed({ file, target, isType }: Import): boolean {
  if (file === REGISTRY.file && REGISTRY.reads.includes(target)) return true;
  if (!/\.\w+$/.test(target)) return !PURE.test(file) || PURE_PACKAGES.includes(target);
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to || MAY[from]?.includes(to)) return true;
  return isType && DIALOGS.includes(from) && TYPES_FOR_DIALOGS.includes(to);
}

function circular(imports: ReadonlyArray<Omit<Import, 'isType'>>): string[] {
  const [importing, imported] = [imports.map(({ file }) => file), imports.map(({ target }) => target)];
  const left = imports.filter(({ file, target }) => imported.includes(file) && importing.includes(target));
  return left.length === imports.length ? [...new Set(importing)] : circular(left);
}

it('the imports of the project are those that the plan of the house allows', () => {
  const others = IMPORTS.filter((each) => !isAllowed(each));
  expect(others.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
});

it('the imports of the project form no circle', () => {
  expect(circular(IMPORTS)).toEqual([]);
});

it('only one file asks for the time; the sandbox is another world', () => {
  const asking = FILES.filter((file) => /Date\.now|performance\.now|hrtime|new Date\(\)/.test(read(file)));
  expect(asking.filter((file) => !file.startsWith('src/sandbox/'))).toEqual(['src/app/start.ts']);
});

it("only a bot with a database server loads that server's driver", () => {
  const files = FILES.filter((file) => /^(?:src\/(?:app|store)|dialogs)\//.test(file));
  expect(files.filter((file) => /^import (?!type )[^;]*'pg'/m.test(read(file)))).toEqual([]);
});

it('no file has more than 250 lines', () => {
  expect(FILES.filter((file) => read(file).split('\n').length > 251)).toEqual([]);
});

it('parts are handed on by name: no record of them is spread into another', () => {
  const isSpread = /\{ ?\.\.\.(?:parts|bot|database|services)[\s,}]/;
  expect(FILES.filter((file) => !file.startsWith('src/sandbox/') && isSpread.test(read(file)))).toEqual([]);
});

describe('the check of imports', () => {
  it.each([
    ['src/nac/lookup.ts', 'src/http.ts', false, true],
    ['src/nac/lookup.ts', 'src/store/store.ts', true, false],
    ['src/nac/lookup.ts', 'dialogs/dialog.ts', true, false],
    ['dialogs/commands/status.ts', 'src/credentials/vault.ts', true, true],
    ['dialogs/commands/status.ts', 'src/credentials/vault.ts', false, false],
    ['dialogs/lookup/device-lookups.ts', 'dialogs/commands/status.ts', true, false],
    ['src/domain/outcome.ts', 'node:fs', false, false],
  ])('%s -> %s (type: %s): %s', (file, target, isType, allowed) => {
    expect(isAllowed({ file, target, isType })).toBe(allowed);
  });
});
