import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitFiles, littleMoreIn } from './full-disk.ts';
import type { Report } from './full-disk-owner.ts';

/** How long a process may take to answer that it lives, on a machine that is busy with other things. */
const LIVES_WITHIN_MS = 3000;

let folder: string;
let owner: ChildProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
});

afterEach(async () => {
  await kill();
  await rm(folder, { recursive: true });
});

/** @param before words of a command that starts what follows it */
function start(before: readonly string[] = []): void {
  const [execPath = process.execPath, ...execArgv] = [...before, process.execPath];
  owner = fork(fileURLToPath(new URL('full-disk-owner.ts', import.meta.url)), {
    env: { ...process.env, FOLDER: folder },
    execPath,
    execArgv,
  });
}

async function kill(): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  const exited = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exited;
}

let orders = 0;

/** What the process says of an order: a statement, or only whether it lives. */
async function tell(sql?: string): Promise<Report> {
  const id = orders++;
  const { promise, resolve } = Promise.withResolvers<Report>();
  const hear = (report: Report) => {
    if (report.id === id) resolve(report);
  };
  owner.on('message', hear);
  owner.send({ id, sql });
  try {
    return await promise;
  } finally {
    owner.off('message', hear);
  }
}

const add = () => tell(`insert into kept (kind, key, at) select 'note', hex(randomblob(50)), now_ms()`);

async function count(): Promise<number> {
  const { rows, error } = await tell("select count(*) as count from kept where kind = 'note'");
  if (rows === undefined) throw new Error(error);
  return Number((rows[0] as { count: number }).count);
}

/** Asks a process again and again whether it lives; `ended` and `stop` reject when it does not answer. */
function watch(): { ended: Promise<never>; stop(): Promise<void> } {
  const stopping = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const lives = await Promise.race([tell(), delay(LIVES_WITHIN_MS)]);
      if (lives === undefined) throw new Error('the process does not answer');
      await delay(100);
    }
  })();
  watching.catch(reject);
  ended.catch(() => {}); // Told by `stop` too.
  return {
    ended,
    stop() {
      stopping.abort();
      return watching;
    },
  };
}

/** Fills the disk and writes until that fails; tells how many rows the database said it kept. */
async function writeUntilFull(): Promise<{ added: number; error: string }> {
  await tell();
  await limitFiles(owner.pid, littleMoreIn(folder));
  for (let added = 0; ; added++) {
    const { error } = await add();
    if (error !== undefined) return { added, error };
  }
}

describe.runIf(process.platform === 'linux')('a process whose database has a full disk', () => {
  it('lives on, loses nothing, and writes again when there is space', async () => {
    start();
    const life = watch();
    const { added, error } = await Promise.race([writeUntilFull(), life.ended]);
    expect(error).toMatch(/^StoreClosedError/);
    expect(added).toBeGreaterThan(10);
    expect(await count()).toBe(added); // It can still be read.
    expect((await tell()).state).not.toBe('ok');
    await limitFiles(owner.pid, 'unlimited');
    await vi.waitFor(async () => expect((await tell()).state).toBe('ok'), 10_000);
    expect(await add()).not.toHaveProperty('error');
    expect(await count()).toBe(added + 1);
    await life.stop();
  });

  it('opens it when there is space, if the disk was full at the start', async () => {
    start();
    const { added } = await writeUntilFull();
    await kill();
    start(['prlimit', '--fsize=0:']);
    const life = watch();
    expect((await tell('select 1')).error).toMatch(/^StoreClosedError/);
    await limitFiles(owner.pid, 'unlimited');
    await vi.waitFor(async () => expect(await count()).toBe(added), 20_000);
    await life.stop();
  });
});
