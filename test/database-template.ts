import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmbedded } from '../src/store/embedded.ts';

/** Makes the embedded database's files once for tests to copy: a copy takes less than unpacking and a first opening. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'database-template-'));
  const { close } = await openEmbedded(directory);
  await close();
  project.provide('databaseTemplate', directory);
  return () => rm(directory, { recursive: true });
}

declare module 'vitest' {
  export interface ProvidedContext {
    databaseTemplate: string;
  }
}
