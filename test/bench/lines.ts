import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BOT = ['src', 'dialogs', 'manifest'];
const CODE = ['.ts', '.cjs', '.js'];
/** Files that the bot reads or serves. */
const ASSETS = ['.css', '.html', '.json', '.sql', '.txt'];
const MAX_FUNCTION_LINES = 40;

/** Counts lines as `wc -l` does, the tests' harnesses, and long functions. @param options.isListed whether to name them */
export async function* measureLines({ isListed }: { isListed: boolean }): AsyncGenerator<string> {
  yield `${BOT.join(', ')}: ${linesText(BOT, CODE)}, besides ${linesText(BOT, ASSETS)}`;
  yield `test: ${linesText(['test'], CODE)}`;
  const harnesses = filesIn(['test'], ['.ts']).flatMap(harnessesIn);
  yield `harnesses in test, without the bench: ${harnesses.length}`;
  if (isListed) yield* harnesses;
  const functions = (await functionLines()).filter(({ lines }) => lines > MAX_FUNCTION_LINES);
  const byBiome = functions.filter(({ withoutComments }) => withoutComments > MAX_FUNCTION_LINES).length;
  yield `functions over ${MAX_FUNCTION_LINES} lines in ${BOT.join(', ')}: ${functions.length}, of which Biome counts ${byBiome}`;
  if (isListed) yield* functions.map(({ at, lines }) => `  ${at}: ${lines}`);
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

/** Biome reports each function of more than ten lines. Its own count leaves out blank lines and comments. */
async function functionLines(): Promise<Array<{ at: string; lines: number; withoutComments: number }>> {
  const folder = await mkdtemp(join(tmpdir(), 'nac-lookup-bot-lines-'));
  const rules = { complexity: { noExcessiveLinesPerFunction: { level: 'warn', options: { maxLines: 10 } } } };
  await writeFile(join(folder, 'biome.json'), JSON.stringify({ linter: { rules } }));
  const only = '--only=complexity/noExcessiveLinesPerFunction';
  const options = [only, `--config-path=${folder}`, '--reporter=github', '--max-diagnostics=none'];
  const biome = fileURLToPath(new URL('bin/biome', import.meta.resolve('@biomejs/biome/package.json')));
  const report = execFileSync(process.execPath, [biome, 'lint', ...options, ...BOT], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  await rm(folder, { recursive: true });
  const places = report.matchAll(/file=([^,]+),line=(\d+),endLine=(\d+),.*lines \((\d+)\)/g);
  return Array.from(places, ([, file = '', line, endLine, counted]) => ({
    at: `${relative(ROOT, file)}:${line}`,
    lines: Number(endLine) - Number(line) + 1,
    withoutComments: Number(counted),
  }));
}
