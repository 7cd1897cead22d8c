import { startPostgres } from '../store/postgres-server.ts';
import { openRun, type StartOptions } from './contenders.ts';
import { verdict } from './table.ts';

/** Measures the memory of the bot on either database after many lookups. */
export async function* measureMemory(): AsyncGenerator<string> {
  const embedded = await rssOf();
  yield wordsOf('the bot with its embedded database', embedded);
  const postgres = await startPostgres();
  const server = await rssOf({ url: postgres.url });
  await postgres.close();
  yield wordsOf('the bot with a database server', server);
  const growth = embedded.many / embedded.few;
  yield verdict('RSS after 100,000 lookups, relative to 10,000', growth, 'at most', 1.1);
}

/** Megabytes (10^6) before the first lookup, after 10,000 and after 100,000, and the most so far. */
type Rss = { none: number; few: number; many: number; peak: number };

async function rssOf(database?: StartOptions['database']): Promise<Rss> {
  const run = await openRun('nac-lookup-bot', { connections: 32, database });
  try {
    const { rssMb: none } = await run.usage();
    await run.load(10_000);
    const { rssMb: few } = await run.usage();
    await run.load(90_000);
    const { rssMb: many, peakMb: peak } = await run.usage();
    return { none, few, many, peak };
  } finally {
    await run.close();
  }
}

function wordsOf(who: string, { none, few, many, peak }: Rss): string {
  const [atStart, after10, after100, most] = [none, few, many, peak].map((each) => each.toFixed(0));
  return `${who}: RSS at first ${atStart} MB, after 10,000 lookups ${after10} MB, after 100,000 ${after100} MB; at most ${most} MB`;
}
