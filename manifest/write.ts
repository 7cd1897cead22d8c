import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Environment, Problem } from '../src/settings/environment.ts';
import { linesOf } from '../src/settings.ts';
import { buildPackage, readPackageSettings } from './package.ts';

const DEFAULT_FILE = fileURLToPath(new URL('nac-lookup-bot.zip', import.meta.url));

const CURE =
  'Set them in the environment; the host can be an argument too: npm run manifest -- bot.example.com';

/**
 * `npm run manifest -- [HOST] [--out FILE]`: writes the app package that Teams accepts. Exit code 2: settings are missing or
 * wrong, all are named, nothing is written. Exit code 1: the file cannot be written.
 * @returns the exit code, and what to say: on stdout with 0, else on stderr
 */
export function write(args: string[], environment: Environment): { code: 0 | 1 | 2; said: string } {
  const options = { out: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: false });
  const read = readPackageSettings(environment, positionals[0]);
  const problems = [
    ...('problems' in read ? read.problems : []),
    ...Object.entries(values).flatMap(([name, value]) => optionProblems(name, value)),
    ...positionals.slice(1).map(() => ({ name: 'The command', message: 'takes only one host' })),
  ];
  if ('problems' in read || problems.length > 0)
    return { code: 2, said: `The app package was not written.\n${linesOf(problems)}${CURE}\n` };

  const file = typeof values.out === 'string' ? values.out : relative('', DEFAULT_FILE);
  try {
    writeFileSync(file, buildPackage(read.settings));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code: 1, said: `${file} could not be written (${code}).\n` };
  }
  const next = 'Next: upload it in Teams (manifest/README.md, "Upload it").';
  return { code: 0, said: `Wrote ${file} for ${read.settings.host}. ${next}\n` };
}

function optionProblems(name: string, value: unknown): Problem[] {
  if (name !== 'out') return [{ name: `--${name}`, message: 'is unknown: the only option is --out FILE' }];
  return typeof value === 'string' && value !== ''
    ? []
    : [{ name: '--out', message: 'needs the path of the file to write' }];
}

if (import.meta.main) {
  const { code, said } = write(process.argv.slice(2), process.env);
  (code === 0 ? process.stdout : process.stderr).write(said);
  process.exitCode = code;
}
