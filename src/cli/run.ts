import { isUtf8 } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Command, Ending } from './command.ts';

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  doctor: async () => (await import('./doctor.ts')).doctor,
  backup: async () => (await import('./backup.ts')).backup,
  import: async () => (await import('./import.ts')).importFile,
  credential: async () => (await import('./credential.ts')).credential,
  erase: async () => (await import('./erase.ts')).erase,
  manifest: async () => (await import('../../manifest/write.ts')).manifest,
};

const USAGE = `nac-lookup-bot COMMAND [--settings FILE]
  doctor [--post]          checks the settings and each system; --post posts one line to the room
  backup FILE              copies the SQLite file, also while a bot uses it
  import FILE              copies such a file into the empty database in DATABASE_URL
  credential key|ticket    prints an API key or a ticket
  erase ID                 removes a person from the database
  manifest [HOST] [--out FILE]   writes the app package for Teams
  --settings FILE          reads the settings from the file of the systemd unit
`;

/** Runs one command. Settings in a file go before those of the environment, as in a unit. */
export async function run(all: string[]): Promise<void> {
  process.stdout.on('error', () => process.exit(1)); // A reader such as `head` has read enough.
  const at = all.indexOf('--settings');
  const path = at < 0 ? undefined : (all[at + 1] ?? '');
  const args = at < 0 ? all : all.toSpliced(at, 2);
  const [name = '', ...rest] = args;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const usage = { code: name === '--help' ? 0 : 2, text: USAGE };
  if (load === undefined || path === '') end(usage);
  else if (path !== undefined) end(runWith(path, args));
  else end((await (await load())(rest, process.env)) ?? usage);
}

/** In a process of its own, because Node reads some names, such as NODE_EXTRA_CA_CERTS, only as it starts. */
function runWith(path: string, args: string[]): Ending {
  const read = readSettingsFile(path);
  if ('fault' in read) return { code: 2, text: `${read.fault}\n` };
  if (read.warning) process.stderr.write(`${read.warning}\n`);
  const env = { ...process.env, ...read.values };
  const self = [...process.execArgv, String(process.argv[1])];
  const { status } = spawnSync(process.execPath, [...self, ...args], { env, stdio: 'inherit' });
  return { code: status ?? 1, text: '' };
}

function end({ code, text }: Ending): void {
  (code === 0 ? process.stdout : process.stderr).write(text);
  process.exitCode = code;
}

/**
 * A line of an EnvironmentFile that systemd and Node (`--env-file`) read in the same way: blank, a comment, or NAME=VALUE. They
 * differ about `\` and `#` in a bare value, a value of blanks alone, escapes between double quotes, and a comment that ends in
 * `\`. Sources: parse_env_file_internal() of systemd (src/basic/env-file.c), and src/node_dotenv.cc of Node.
 */
const LINE =
  /^[ \t]*(?:[#;](?:[^\r]*[^\\\r])?|[A-Za-z_]\w*[ \t]*=(?:[ \t]*(?:'[^'\r]*'|"(?:[^"\\\r]|\\[^n"\\$`\r])*"|[^\s'"`\\#][^\\#\r]*)[ \t]*)?)?$/;

/** Reads the service's settings as its unit does. `fault`: why nothing was read; `warning`: other users can read the file. */
export function readSettingsFile(path: string) {
  try {
    const bytes = readFileSync(path);
    if (!isUtf8(bytes) || bytes.includes(0))
      return { fault: `The settings in ${path} are no text in UTF-8.` };
    const lines = bytes.toString().split(/\r?\n/);
    const faults = lines.flatMap((line, index) =>
      LINE.test(line) ? [] : `line ${index + 1}: ${faultIn(line)}`,
    );
    if (faults.length > 0) return { fault: `${path} is not used:\n  ${faults.join('\n  ')}` };
    const isOpen = (statSync(path).mode & 0o004) !== 0;
    const warning = isOpen && `Every user of this machine can read ${path}: chmod o-rwx ${path}`;
    const settings = lines.filter((line) => !/^[ \t]*[#;]/.test(line)); // Node takes some for settings.
    return { values: parseEnv(settings.join('\n')), ...(warning && { warning }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const cure = 'is the path right, and may this user read it?';
    return { fault: `The settings in ${path} cannot be read (${code}): ${cure}` };
  }
}

/** @param line quoted in no message: it can hold a secret */
function faultIn(line: string): string {
  const [, name] = /^[ \t]*([A-Za-z_]\w*)[ \t]*=/.exec(line) ?? [];
  if (name === undefined) return 'this is neither NAME=VALUE nor a comment';
  const cure = `use ${name}_FILE for a secret, and single quotes for any other value`;
  return `systemd and Node read the value of ${name} in different ways: ${cure}`;
}
