import type { Queue } from '../../src/store/queues.ts';
import type { PostJob } from '../../src/webhook/delivery.ts';
import type { Dialog } from '../dialog.ts';
import { code, lines, paragraphs, shorten } from '../format/markdown.ts';

export type PostsOptions = {
  queue: Pick<Queue<PostJob>, 'count' | 'listDead' | 'emptyDead'>;
  now: () => number;
};

const MOST_LISTED = 10;

const WORDS = {
  count: (waiting: string, dead: string) => `${waiting} waiting for another try, ${dead} given up.`,
  ways: `${code('posts retry')} tries the posts that were given up once more; ${code('posts drop')} forgets them.`,
  retried: (count: string) => `${count} will be tried again.`,
  dropped: (count: string) => `${count} dropped.`,
};

/** Lists the posts that the room's webhook did not take. Retries or drops the posts that were given up. */
export function createPosts({ queue, now }: PostsOptions): Dialog {
  return {
    name: 'posts',
    summary: 'shows what the room did not take, for administrators',
    forAdmins: true,
    examples: ['posts', 'posts retry', 'posts drop'],
    details: [
      'Lists posts given up after 24 hours, or at once if the webhook does not exist or rejects them.',
      WORDS.ways,
    ],
    async answer({ text, format, say }) {
      switch (text.trim().toLowerCase()) {
        case 'retry':
          return say(
            WORDS.retried(
              format.number(await queue.emptyDead((job) => ({ ...job, firstAt: now(), attempt: 0 }))),
            ),
          );
        case 'drop':
          return say(WORDS.dropped(format.number(await queue.emptyDead(() => undefined))));
        default: {
          const { waiting, dead } = await queue.count();
          const letters = await queue.listDead(MOST_LISTED);
          const list = letters.map(
            ({ data, at }) =>
              `${format.time(at.getTime())}: ${code(shorten(data.text.replaceAll('\n', ' ')))}`,
          );
          const parts = [
            WORDS.count(format.number(waiting), format.number(dead)),
            ...(list.length > 0 ? [lines(...list), WORDS.ways] : []),
          ];
          return say(paragraphs(...parts));
        }
      }
    },
  };
}
