import { openRun } from './measure.ts';
import { verdict } from './table.ts';

/** Measures the growth of the bot's memory over many lookups. */
export async function* measureMemory({ database }: { database: string }): AsyncGenerator<string> {
  const run = await openRun('nac-lookup-bot', { connections: 32, database });
  try {
    await run.load(10_000);
    const few = await run.usage();
    await run.load(90_000);
    const many = await run.usage();
    yield `RSS after 10,000 lookups ${few.rssMb.toFixed(0)} MB, after 100,000 ${many.rssMb.toFixed(0)} MB`;
    yield verdict('RSS after 100,000 lookups, relative to 10,000', many.rssMb / few.rssMb, 'at most', 1.1);
  } finally {
    await run.close();
  }
}
