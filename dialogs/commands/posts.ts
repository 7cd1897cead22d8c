import { LRUCache } from 'lru-cache';
import type { Queue } from '../../src/domain/jobs.ts';
import type { Seen } from '../../src/ops/health.ts';
import { code, lines, paragraphs, type Reader, shorten } from '../format/words.ts';
import type { Bot, Command } from './command.ts';

const MAX_LISTED = 10;

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

export const posts: Command = {
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
  async answer({ text, reader, say }, bot) {
    const verb = text.trim().toLowerCase();
    if (verb === 'retry') return say(WORDS.retried(reader.number(await reviveDead(bot))));
    if (verb === 'drop') return say(WORDS.dropped(reader.number(await dropDead(bot))));
    const dead = await listDead(bot, reader);
    const counts = lines(...countLines(await countJobs(bot), reader));
    await say(paragraphs(counts, ...(dead.length > 0 ? [lines(...dead), WORDS.ways] : [])));
  },
};

const MAX_REVIVED = 10_000;
const QUEUES = ['post', 'lookup', 'reply', 'alert'] as const;

/** Lets all that was given up be tried again, if it can be read. Returns how many. */
async function reviveDead({ jobs }: Bot): Promise<number> {
  let count = 0;
  for (const name of QUEUES)
    for (const { key, data } of await jobs[name].dead(MAX_REVIVED))
      if (data !== undefined && (await jobs[name].revive(key))) count++;
  return count;
}

async function dropDead({ jobs }: Bot): Promise<number> {
  let count = 0;
  for (const name of QUEUES) {
    const dead = await jobs[name].dead(MAX_REVIVED);
    for (const { key } of dead) await jobs[name].settle(key);
    count += dead.length;
  }
  return count;
}

async function listDead({ jobs }: Bot, reader: Reader): Promise<string[]> {
  const dead = await Promise.all([
    listOf(jobs.post, ({ text }) => text),
    listOf(jobs.lookup, ({ addresses }) => `lookup ${addresses.join(' ')}`),
    listOf(jobs.reply, () => 'an answer'),
    listOf(jobs.alert, (incident) => `alert ${incident?.addresses.join(' ')}`),
  ]);
  return dead
    .flat()
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .slice(0, MAX_LISTED)
    .map(({ text, at }) => `${reader.time(at.getTime())}: ${code(shorten(text.replaceAll('\n', ' ')))}`);
}

/** The oldest jobs of a queue that were given up and can be read, each as untrusted text. */
async function listOf<Data>(queue: Pick<Queue<Data>, 'dead'>, toText: (data: Data) => string) {
  const dead = await queue.dead(MAX_LISTED);
  return dead.flatMap(({ data, at }) => (data === undefined ? [] : [{ text: toText(data), at }]));
}

/** `refused`: for good since the start; their askers know. */
export type JobCount = { name: string; waiting: number; dead: number; refused?: number };

/** Throws what the store throws. */
export async function countJobs({ jobs, health }: Pick<Bot, 'jobs' | 'health'>): Promise<JobCount[]> {
  const [post, lookup, reply, alert] = await Promise.all(QUEUES.map((name) => jobs[name].count()));
  const none = { waiting: 0, dead: 0 };
  return [
    { name: 'Posts', ...(post ?? none), refused: health.refusedPosts() },
    { name: 'Lookups', ...(lookup ?? none) },
    { name: 'Answers', ...(reply ?? none) },
    { name: 'Alerts', ...(alert ?? none) },
  ];
}

/** A line a queue. Posts alone have a line when there are none. */
export function countLines(counts: readonly JobCount[], { number }: Reader): string[] {
  return counts
    .filter(({ name, waiting, dead }) => name === 'Posts' || waiting + dead > 0)
    .map(({ name, waiting, dead, refused = 0 }) => {
      const more = refused > 0 ? `, ${number(refused)} refused since the start` : '';
      return `${name}: ${number(waiting)} waiting, ${number(dead)} given up${more}.`;
    });
}
