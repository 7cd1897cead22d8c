import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderInUseError, lockFolder } from '../../src/store/sqlite.ts';

const ROUNDS = 40;
const takers: ChildProcess[] = [];
let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lock-'));
});
afterEach(async () => {
  await Promise.all(takers.splice(0).map(kill));
  await rm(parent, { recursive: true });
});

describe('a folder whose owner was killed', { timeout: 60_000 }, () => {
  it('is taken over by exactly one of many that try at once in one process', async () => {
    for (const folder of await foldersOfKilledOwner()) {
      const tries = await Promise.allSettled(Array.from({ length: 8 }, async () => lockFolder(folder)));
      const got = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const reasons = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(got).toHaveLength(1);
      for (const reason of reasons) expect(reason).toBeInstanceOf(FolderInUseError);
      got[0]?.release();
    }
  });

  it('is taken over by exactly one of several processes that try at once', async () => {
    const folders = await foldersOfKilledOwner();
    const all = Array.from({ length: 4 }, startTaker);
    for (const folder of folders) {
      const tries = await Promise.all(all.map((taker) => claim(taker, folder)));
      expect(tries.sort()).toEqual(['got', 'in use', 'in use', 'in use']);
    }
  });
});

describe('a folder', () => {
  it('is free again when it was released', async () => {
    const first = lockFolder(parent);
    expect(() => lockFolder(parent)).toThrow(FolderInUseError);
    first.release();
    lockFolder(parent).release();
  });

  it('can have a path of any length that the system takes', async () => {
    const deep = join(parent, 'a'.repeat(120), 'b'.repeat(120));
    await mkdir(deep, { recursive: true });
    const lock = lockFolder(deep);
    expect(() => lockFolder(deep)).toThrow(FolderInUseError);
    lock.release();
  });
});

async function foldersOfKilledOwner(): Promise<string[]> {
  const owner = startTaker();
  const folders = Array.from({ length: ROUNDS }, (_, round) => join(parent, String(round)));
  for (const folder of folders) {
    await mkdir(folder);
    expect(await claim(owner, folder)).toBe('got');
  }
  await kill(owner);
  return folders;
}

function startTaker(): ChildProcess {
  const taker = fork(fileURLToPath(new URL('lock-taker.ts', import.meta.url)));
  takers.push(taker);
  return taker;
}

/** What a taker reports: `got` or `in use`. */
async function claim(taker: ChildProcess, folder: string): Promise<unknown> {
  const answer = once(taker, 'message');
  taker.send(folder);
  const [said] = await answer;
  return said;
}

async function kill(taker: ChildProcess): Promise<void> {
  if (taker.exitCode !== null || taker.signalCode !== null) return;
  const exited = once(taker, 'exit');
  taker.kill('SIGKILL');
  await exited;
}
