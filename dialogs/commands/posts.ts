import type { Dialog } from '../dialog.ts';
import { code, lines, paragraphs, shorten } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { type AllKeptJobs, readCounts, sayCounts } from '../lookup/kept-jobs.ts';

const MOST_LISTED = 10;

const WORDS = {
  ways: `${code('posts retry')} tries all that was given up once more; ${code('posts drop')} forgets it.`,
  retried: (count: string) => `${count} will be tried again.`,
  dropped: (count: string) => `${count} dropped.`,
};

/** Lists the posts and the other jobs that were given up, and tries or drops them. */
export function createPosts({ kept }: { kept: AllKeptJobs }): Dialog {
  return {
    name: 'posts',
    summary: 'shows what the room did not take, for administrators',
    forAdmins: true,
    examples: ['posts', 'posts retry', 'posts drop'],
    details: [
      'Lists the posts that were given up after 24 hours, or at once if the webhook does not exist or rejects them.',
      'Lists lookups, answers and alerts that were given up, too.',
      WORDS.ways,
    ],
    async answer({ text, format, say }) {
      const verb = text.trim().toLowerCase();
      if (verb === 'retry') return say(WORDS.retried(format.number(await sumOf(kept, 'retryDead'))));
      if (verb === 'drop') return say(WORDS.dropped(format.number(await sumOf(kept, 'dropDead'))));
      const dead = await listDead(kept, format);
      const counts = lines(...sayCounts(await readCounts(kept), format));
      await say(paragraphs(counts, ...(dead.length > 0 ? [lines(...dead), WORDS.ways] : [])));
    },
  };
}

async function sumOf(kept: AllKeptJobs, action: 'retryDead' | 'dropDead'): Promise<number> {
  let sum = 0;
  for (const jobs of Object.values(kept)) sum += await jobs[action]();
  return sum;
}

async function listDead(kept: AllKeptJobs, format: Format): Promise<string[]> {
  const dead = await Promise.all(Object.values(kept).map(({ listDead: list }) => list(MOST_LISTED)));
  return dead
    .flat()
    .slice(0, MOST_LISTED)
    .map(({ words, at }) => `${format.time(at.getTime())}: ${code(shorten(words.replaceAll('\n', ' ')))}`);
}
