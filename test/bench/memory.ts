import { startPostgres } from '../store/postgres-server.ts';
import { load, type StartOptions, withContender } from './contenders.ts';
import { verdict } from './table.ts';

/** Measures the memory of the bot on either database after many lookups. */
export async function* measureMemory(): AsyncGenerator<string> {
  const embedded = await measureRss();
  yield `the bot with its embedded database: ${rssText(embedded)}`;
  const postgres = await startPostgres();
  const server = await measureRss({ url: postgres.url });
  await postgres.close();
  yield `the bot with a database server: ${rssText(server)}`;
  const growth = embedded.many / embedded.few;
  yield verdict('RSS after 100,000 lookups, relative to 10,000', growth, 'at most', 1.1);
}

/** Megabytes (10^6) before the first lookup, after 10,000 and after 100,000, and the most so far. */
const measureRss = (database?: StartOptions['database']) =>
  withContender('nac-lookup-bot', { database }, async (running, stage) => {
    const { rssMb: none } = await running.usage();
    await load(running, stage, 10_000);
    const { rssMb: few } = await running.usage();
    await load(running, stage, 90_000);
    const { rssMb: many, peakMb: peak } = await running.usage();
    return { none, few, many, peak };
  });

function rssText(rss: Awaited<ReturnType<typeof measureRss>>): string {
  const [none, few, many, peak] = [rss.none, rss.few, rss.many, rss.peak].map((each) => each.toFixed(0));
  return `RSS at first ${none} MB, after 10,000 lookups ${few} MB, after 100,000 ${many} MB; at most ${peak} MB`;
}
