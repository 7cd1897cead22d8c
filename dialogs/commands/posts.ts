import { LRUCache } from 'lru-cache';
import type { DeadLetters } from '../../src/domain/jobs.ts';
import type { Seen } from '../../src/ops/health.ts';
import type { Dialog } from '../dialog.ts';
import { code, lines, paragraphs, type Reader, shorten } from '../format/words.ts';

const MOST_LISTED = 10;

const WORDS = {
  ways: `${code('posts retry')} tries all that was given up once more; ${code('posts drop')} forgets it.`,
  retried: (count: string) => `${count} will be tried again.`,
  dropped: (count: string) => `${count} dropped.`,
};

const GONE: ReadonlyMap<string | undefined, string> = new Map([
  ['not found', 'does not exist any more'],
  ['suspended', 'is suspended'],
]);

/** What an administrator is told, once, while no post can reach the room; undefined: nothing new. */
export function createRoomNotice({ seen }: { seen(): Seen }) {
  const told = new LRUCache<string, number>({ max: 1000 });
  return (person: string): string | undefined => {
    const { webhook } = seen();
    const fault = webhook.kind === 'failing' && GONE.get(webhook.why);
    if (!fault || told.get(person) === webhook.since) return undefined;
    told.set(person, webhook.since);
    return `The room gets no posts, because its webhook ${fault}. Make a new one in the room, and paste its whole address into WEBHOOK_URL.`;
  };
}

export function createPosts({ kept }: { kept: AllKeptJobs }): Dialog {
  return {
    name: 'posts',
    summary: 'shows what the room did not take, for administrators',
    forAdmins: true,
    examples: ['posts', 'posts retry', 'posts drop'],
    details: [
      'Lists the posts that were given up after 24 hours, or at once if nobody else was told.',
      'Posts that the room refused for good are counted; whoever asked was told.',
      'Lists lookups, answers and alerts that were given up, too.',
      WORDS.ways,
    ],
    async answer({ text, reader, say }) {
      const verb = text.trim().toLowerCase();
      if (verb === 'retry') return say(WORDS.retried(reader.number(await sumOf(kept, 'retryDead'))));
      if (verb === 'drop') return say(WORDS.dropped(reader.number(await sumOf(kept, 'dropDead'))));
      const dead = await listDead(kept, reader);
      const counts = lines(...sayCounts(await readCounts(kept), reader));
      await say(paragraphs(counts, ...(dead.length > 0 ? [lines(...dead), WORDS.ways] : [])));
    },
  };
}

async function sumOf(kept: AllKeptJobs, action: 'retryDead' | 'dropDead'): Promise<number> {
  let sum = 0;
  for (const jobs of Object.values(kept)) sum += await jobs[action]();
  return sum;
}

async function listDead(kept: AllKeptJobs, reader: Reader): Promise<string[]> {
  const dead = await Promise.all(Object.values(kept).map(({ listDead: list }) => list(MOST_LISTED)));
  return dead
    .flat()
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .slice(0, MOST_LISTED)
    .map(({ words, at }) => `${reader.time(at.getTime())}: ${code(shorten(words.replaceAll('\n', ' ')))}`);
}

/** `refused`: for good since the start, at once; their askers know. */
type Counts = { waiting: number; dead: number; refused?: number };
export type KeptJobs = ReturnType<typeof createKeptJobs>;
export type AllKeptJobs = Readonly<Record<'Posts' | 'Lookups' | 'Answers' | 'Alerts', KeptJobs>>;

/** The jobs of one queue as an administrator sees them. */
export function createKeptJobs<Data extends { firstAt: number; attempt: number }>(
  queue: DeadLetters<Data> & { count(): Promise<Counts> },
  sayJob: (data: Data) => string,
  now: () => number,
) {
  return {
    count: queue.count,
    /** The oldest jobs that were given up, each in words; foreign text. */
    listDead: async (limit: number) =>
      (await queue.listDead(limit)).map(({ data, at }) => ({ words: sayJob(data), at })),
    /** Gives all that were given up back, their time begun anew. @returns how many */
    retryDead: () => queue.retryDead((data) => ({ ...data, firstAt: now(), attempt: 0 })),
    dropDead: queue.dropDead,
  };
}

export type KeptCount = Counts & { name: string };

export function readCounts(all: AllKeptJobs): Promise<KeptCount[]> {
  return Promise.all(Object.entries(all).map(async ([name, { count }]) => ({ name, ...(await count()) })));
}

/** A line a queue. Only posts are told of when there are none. */
export function sayCounts(counts: readonly KeptCount[], { number }: Reader): string[] {
  return counts
    .filter(({ name, waiting, dead }) => name === 'Posts' || waiting + dead > 0)
    .map(({ name, waiting, dead, refused = 0 }) => {
      const more = refused > 0 ? `, ${number(refused)} refused since the start` : '';
      return `${name}: ${number(waiting)} waiting, ${number(dead)} given up${more}.`;
    });
}
