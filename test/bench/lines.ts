import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BOT = ['src', 'dialogs', 'manifest'];
const CODE = ['.ts', '.cjs', '.js'];
/** Files that the bot reads or serves. */
const ASSETS = ['.css', '.html', '.json', '.sql', '.txt'];

/** Counts lines as `wc -l` does, and the tests' harnesses. @param options.isListed whether to name the harnesses */
export function* measureLines({ isListed }: { isListed: boolean }): Generator<string> {
  yield `${BOT.join(', ')}: ${linesText(BOT, CODE)}, besides ${linesText(BOT, ASSETS)}`;
  yield `test: ${linesText(['test'], CODE)}`;
  const harnesses = filesIn(['test'], ['.ts']).flatMap(harnessesIn);
  yield `harnesses in test, without the bench: ${harnesses.length}`;
  if (isListed) yield* harnesses;
}

function filesIn(folders: readonly string[], extensions: readonly string[]): string[] {
  const patterns = folders.map((folder) => `${folder}/**/*`);
  const files = globSync(patterns, { cwd: ROOT, exclude: (path) => path.includes('node_modules') });
  return files.filter((file) => extensions.includes(extname(file))).sort();
}

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

function linesText(folders: readonly string[], extensions: readonly string[]): string {
  const counts = extensions.map((extension) => {
    const texts = filesIn(folders, [extension]).map(textOf);
    return { extension, lines: texts.join('').split('\n').length - 1 };
  });
  const total = counts.reduce((sum, { lines }) => sum + lines, 0);
  const parts = counts.filter(({ lines }) => lines > 0).map((each) => `${each.extension} ${each.lines}`);
  return `${total} lines (${parts.join(', ')})`;
}

const HEADER =
  /^(?:export )?(?:async )?(?:function\*? (\w+)|const (\w+) = (?:async )?(?:<.+>)?\((?:.*=>|\{?$))/;

/**
 * A harness is a named function of the tests that calls a `create...`, `open...` or `start...` of `src` or `dialogs`.
 * The formatter's indentation says which function holds a call.
 */
function harnessesIn(file: string): string[] {
  const text = textOf(file);
  const imports = text.matchAll(/^import \{?([^;}]*)\}? from '[./]+\/(?:src|dialogs)\/[^']+';$/gm);
  const imported = [...imports].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
  const openers = imported.filter((name) => /^(?:create|open|start)[A-Z]/.test(name));
  if (openers.length === 0 || file.startsWith('test/bench/')) return [];
  const call = new RegExp(`\\b(?:${openers.join('|')})\\(`);
  const lines = text.split('\n');
  const indents = lines.map((line) => line.search(/\S/));
  const names = lines.flatMap((line, at) => {
    if (!call.test(line)) return [];
    let indent = Number.POSITIVE_INFINITY;
    for (let above = at; above >= 0 && indent > 0; above--) {
      const [own = -1, trimmed = ''] = [indents[above], lines[above]?.trim()];
      if (own < 0 || own >= indent) continue;
      const [, name, constant] = HEADER.exec(trimmed) ?? [];
      if (name ?? constant) return [`  ${file}: ${name ?? constant}`];
      if (!/^[)}]/.test(trimmed)) indent = own; // Else the header, of several lines, is above at the same indent.
    }
    return [];
  });
  return [...new Set(names)];
}
