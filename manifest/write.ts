import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Problem } from '../src/settings/environment.ts';
import { linesOf } from '../src/settings.ts';
import { buildPackage, readPackageSettings } from './package.ts';

/**
 * `npm run manifest -- [HOST] [--out FILE]`: writes the app package that Teams accepts. If settings are missing or wrong,
 * writes nothing, names all of them on stderr and exits with 2. If the file cannot be written, says why on stderr and exits
 * with 1.
 */
const DEFAULT_FILE = fileURLToPath(new URL('nac-lookup-bot.zip', import.meta.url));

const CURE =
  'Set them in the environment; the host can be an argument too: npm run manifest -- bot.example.com';

process.exitCode = main();

function main(): number {
  const { values, positionals } = parseArgs({
    options: { out: { type: 'string' } },
    allowPositionals: true,
    strict: false,
  });
  const read = readPackageSettings(process.env, positionals[0]);
  const problems = [
    ...('problems' in read ? read.problems : []),
    ...Object.entries(values).flatMap(([name, value]) => optionProblems(name, value)),
    ...positionals.slice(1).map(() => ({ name: 'The command', message: 'takes only one host' })),
  ];
  if ('problems' in read || problems.length > 0)
    return fail(2, `The app package was not written.\n${linesOf(problems)}${CURE}\n`);

  const file = typeof values.out === 'string' ? values.out : relative('', DEFAULT_FILE);
  const fault = writePackage(file, buildPackage(read.settings));
  if (fault) return fail(1, `${file} could not be written (${fault}).\n`);
  process.stdout.write(
    `Wrote ${file} for ${read.settings.host}. Next: upload it in Teams (manifest/README.md, "Upload it").\n`,
  );
  return 0;
}

function optionProblems(name: string, value: unknown): Problem[] {
  if (name !== 'out') return [{ name: `--${name}`, message: 'is unknown: the only option is --out FILE' }];
  return typeof value === 'string' && value !== ''
    ? []
    : [{ name: '--out', message: 'needs the path of the file to write' }];
}

/** Returns the system's error code, or undefined on success. */
function writePackage(file: string, bytes: Uint8Array): string | undefined {
  try {
    writeFileSync(file, bytes);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code;
  }
}

function fail(code: number, reason: string): number {
  process.stderr.write(reason);
  return code;
}
