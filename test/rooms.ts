import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * The rooms, floor by floor: a file imports from its own room and from floors below. A room is a folder, the file of the
 * same name beside it, or a single file. Rooms on one floor do not import one another.
 */
const FLOORS: ReadonlyArray<readonly string[]> = [
  ['src/main'],
  ['src/app', 'src/cli'],
  ['src/database', 'src/upstreams', 'src/start-fault', 'src/server', 'src/version'],
  ['src/bot'],
  ['src/bot/replies'],
  ['dialogs'],
  ['dialogs/commands'],
  ['dialogs/alerts'],
  ['dialogs/jobs'],
  ['dialogs/answers'],
  ['dialogs/dialog'],
  ['dialogs/format', 'manifest'],
  ['src/settings'],
  ['src/webhook'],
  ['src/nac', 'src/store'],
  ['src/credentials', 'src/authentication', 'src/ops', 'src/sandbox', 'src/device-address'],
  ['src/http', 'src/mac-address', 'src/ip-address', 'src/text', 'src/time'],
  ['src/domain'],
];

/** Conversations receive what they need, and read no settings. */
const APART = { from: 'dialogs', to: 'src/settings' };

export type Import = { file: string; target: string };

/** Returns every import of our own files: static, dynamic and of types. Paths are relative to the project's top. */
export function readImports(): Import[] {
  return globSync('{src,dialogs,manifest}/**/*.ts', { cwd: ROOT })
    .toSorted()
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)].map(
        ([, target = '']) => ({ file, target: normalize(join(dirname(file), target)) }),
      ),
    );
}

/** Returns the room that a file stands in: the longest name that fits. */
function roomOf(file: string): string {
  const fits = (room: string) => file === `${room}.ts` || file.startsWith(`${room}/`);
  const [room] = FLOORS.flat()
    .filter(fits)
    .sort((one, other) => other.length - one.length);
  if (room === undefined) throw new Error(`${file} has no room: add it to FLOORS in test/rooms.ts`);
  return room;
}

/** Whether an import stays in its room or points down. */
export function isAllowed({ file, target }: Import): boolean {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from.startsWith(APART.from) && to === APART.to) return false;
  return from === to || floorOf(from) < floorOf(to);
}

function floorOf(room: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(room));
}

/** Returns the files of one circle of imports, with the first again at the end; undefined if there is no circle. */
export function findCircle(imports: readonly Import[]): string[] | undefined {
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

/** Returns the rooms as a Mermaid picture, without arrows that a longer way already shows. */
export function drawRooms(imports: readonly Import[]): string {
  const below = new Map<string, Set<string>>(FLOORS.flat().map((room) => [room, new Set()]));
  for (const { file, target } of imports) {
    if (roomOf(file) !== roomOf(target)) below.get(roomOf(file))?.add(roomOf(target));
  }
  const reaches = (from: string, to: string): boolean =>
    [...(below.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  const arrows = [...below].flatMap(([from, rooms]) =>
    [...rooms]
      .filter((to) => ![...rooms].some((other) => other !== to && reaches(other, to)))
      .map((to) => `  ${from} --> ${to}`),
  );
  return ['flowchart TD', ...arrows.toSorted()].join('\n');
}
