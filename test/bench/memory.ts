import { startPostgres } from '../store/postgres.ts';
import { type Contender, openRun, type StartOptions } from './contenders.ts';
import { verdict } from './table.ts';

const SDKS = ['botbuilder', 'Agents SDK', 'Teams SDK'] as const;

/** Measures the memory of the bot on either database, and of the SDKs, after many lookups. */
export async function* measureMemory(): AsyncGenerator<string> {
  const embedded = await rssOf('nac-lookup-bot');
  yield wordsOf('the bot with its embedded database', embedded);
  const postgres = await startPostgres();
  const server = await rssOf('nac-lookup-bot', { url: postgres.url });
  await postgres.close();
  yield wordsOf('the bot with a database server', server);
  let lightest = Infinity;
  for (const sdk of SDKS) {
    const rss = await rssOf(sdk);
    yield wordsOf(sdk, rss);
    lightest = Math.min(lightest, rss.many);
  }
  const growth = embedded.many / embedded.few;
  const [withServer, withFile] = [server.many / lightest, embedded.many / lightest];
  yield verdict('RSS after 100,000 lookups, relative to 10,000', growth, 'at most', 1.1);
  yield verdict('RSS with a server, relative to the lightest SDK', withServer, 'at most', 1);
  yield verdict('RSS with the embedded database, relative to the lightest SDK', withFile, 'at most', 1.2);
}

/** Megabytes (10^6) before the first lookup, after 10,000 and after 100,000, and the most so far. */
type Rss = { none: number; few: number; many: number; peak: number };

async function rssOf(contender: Contender, database?: StartOptions['database']): Promise<Rss> {
  const run = await openRun(contender, { connections: 32, database });
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
