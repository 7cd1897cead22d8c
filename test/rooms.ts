import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const EDGES = ['src/nac', 'src/credentials', 'src/webhook', 'src/store', 'src/ops'];
const DIALOGS = [
  'dialogs',
  'dialogs/commands',
  'dialogs/alerts',
  'dialogs/lookup',
  'dialogs/dialog',
  'dialogs/format',
];

/** The rooms that each room may import. A room is a folder and the file of the same name beside it, or a single file. */
const MAY: Record<string, readonly string[]> = {
  'src/domain': [],
  'src/http': ['src/domain'],
  ...Object.fromEntries(EDGES.map((edge) => [edge, ['src/domain', 'src/http']])),
  ...Object.fromEntries(DIALOGS.map((room, floor) => [room, ['src/domain', ...DIALOGS.slice(floor + 1)]])),
  'src/teams': ['src/domain', 'src/http', ...DIALOGS],
  'src/server': ['src/domain', 'src/http', ...DIALOGS],
  'src/settings': ['src/domain', 'src/http'],
  manifest: ['src/domain', 'src/settings'],
  'src/sandbox': ['src/domain'],
  'src/app': ['src/domain', 'src/http', ...EDGES, ...DIALOGS, 'src/teams', 'src/server', 'src/settings'],
  'src/cli': ['src/domain', 'src/http', ...EDGES, ...DIALOGS, 'src/teams', 'src/settings', 'src/app'],
  'src/main': ['src/domain', 'src/settings', 'src/ops', 'src/app'],
};

/** What dialogs may know of the edges: their types. */
const TYPES_FOR_DIALOGS = [...EDGES, 'src/http'];

/** Packages that ask for no time, no random number and no I/O. */
const PURE_PACKAGES = ['entities', 'fastest-levenshtein', 'node:net'];

/** The makers' registry is a constant of 5 MB, which one file reads as it stands: parsing at the start would be dear. */
const REGISTRY = { file: 'src/domain/maker.ts', reads: ['node:fs', 'node:module'] };

export type Import = { file: string; target: string; isType: boolean };

/** Returns every import: static, dynamic and of types. Paths are relative to the project's top; packages are bare names. */
export function readImports(): Import[] {
  return globSync('{src,dialogs,manifest}/**/*.ts', { cwd: ROOT })
    .toSorted()
    .flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), 'utf8').matchAll(
          /(\b(?:im|ex)port type\b[^;']*?)?(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g,
        ),
      ].map(([, type, target = '']) => ({
        file,
        target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
        isType: type !== undefined,
      })),
    );
}

/** Returns the room that a file stands in: the longest name that fits. */
function roomOf(file: string): string {
  const fits = (room: string) => file === `${room}.ts` || file.startsWith(`${room}/`);
  const [room] = Object.keys(MAY)
    .filter(fits)
    .sort((one, other) => other.length - one.length);
  if (room === undefined) throw new Error(`${file} has no room: the plan in test/rooms.ts names them`);
  return room;
}

/** Whether the plan allows an import. */
export function isAllowed({ file, target, isType }: Import): boolean {
  if (file === REGISTRY.file && REGISTRY.reads.includes(target)) return true;
  if (!/\.\w+$/.test(target)) return !file.startsWith('src/domain/') || PURE_PACKAGES.includes(target);
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to || MAY[from]?.includes(to)) return true;
  return isType && DIALOGS.includes(from) && TYPES_FOR_DIALOGS.includes(to);
}
/** Returns the files of one circle of imports, with the first again at the end; undefined if there is no circle. */
export function findCircle(imports: ReadonlyArray<Omit<Import, 'isType'>>): string[] | undefined {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const done = new Set<string>();
  function visit(file: string, path: readonly string[]): string[] | undefined {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { target } of targets.get(file) ?? []) {
      const circle = visit(target, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  }
  for (const file of targets.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return undefined;
}
