import { spawnSync } from 'node:child_process';
import type { Command, Ending } from './command.ts';
import { readSettingsFile } from './settings-file.ts';

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
  const { path, args } = takeSettings(all);
  const [name = '', ...rest] = args;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const usage = { code: name === '--help' ? 0 : 2, text: USAGE } as const;
  if (load === undefined || path === '') end(usage);
  else if (path !== undefined) runWith(path, args);
  else end((await (await load())(rest, process.env)) ?? usage);
}

/** In a process of its own, because Node reads some names, such as NODE_EXTRA_CA_CERTS, only as it starts. */
function runWith(path: string, args: string[]): void {
  const read = readSettingsFile(path);
  if ('fault' in read) {
    end({ code: 2, text: `${read.fault}\n` });
    return;
  }
  if (read.warning) process.stderr.write(`${read.warning}\n`);
  const env = { ...process.env, ...read.values };
  const self = [...process.execArgv, String(process.argv[1])];
  process.exitCode = spawnSync(process.execPath, [...self, ...args], { env, stdio: 'inherit' }).status ?? 1;
}

function end({ code, text }: Ending): void {
  (code === 0 ? process.stdout : process.stderr).write(text);
  process.exitCode = code;
}

function takeSettings(all: string[]) {
  const at = all.indexOf('--settings');
  return at < 0 ? { args: all, path: undefined } : { args: all.toSpliced(at, 2), path: all[at + 1] ?? '' };
}
