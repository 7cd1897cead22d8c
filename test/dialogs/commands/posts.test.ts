import { describe, expect, it } from 'vitest';
import { createPosts } from '../../../dialogs/commands/posts.ts';
import { createKeptJobs } from '../../../dialogs/lookup/kept-jobs.ts';
import type { PostJob } from '../../../src/webhook/delivery.ts';
import { noKeptJobs } from '../all-dialogs.ts';
import { talk } from '../talk.ts';

const WAYS = '`posts retry` tries all that was given up once more; `posts drop` forgets it.';

describe('posts', () => {
  it('counts, and lists what was given up', async () => {
    const { dialogs } = stage([{ text: 'AA:BB:CC:DD:EE:FF\nCorp_`Wired', firstAt: 0, attempt: 9 }]);
    expect(await talk(dialogs, 'posts')).toEqual([
      {
        kind: 'said',
        text: `Posts: 2 waiting, 1 given up.\n\n<5 s>: \`AA:BB:CC:DD:EE:FF Corp_ˋWired\`\n\n${WAYS}`,
      },
    ]);
  });

  it('counts lookups, answers and alerts too, where there are any', async () => {
    const Lookups = { ...noKeptJobs().Lookups, count: async () => ({ waiting: 0, dead: 3 }) };
    expect(await talk([createPosts({ kept: noKeptJobs({ Lookups }) })], 'posts')).toEqual([
      {
        kind: 'said',
        text: 'Posts: 0 waiting, 0 given up.  \nLookups: 0 waiting, 3 given up.',
      },
    ]);
  });

  it('does not offer retry and drop if nothing was given up', async () => {
    const { dialogs } = stage([]);
    expect(await talk(dialogs, 'posts')).toEqual([{ kind: 'said', text: 'Posts: 2 waiting, 0 given up.' }]);
  });

  it('retries posts, with 24 hours from now', async () => {
    const { dialogs, renewed } = stage([{ text: 'one', firstAt: 0, attempt: 9 }]);
    expect(await talk(dialogs, 'posts retry')).toEqual([{ kind: 'said', text: '1 will be tried again.' }]);
    expect(renewed).toEqual([{ text: 'one', firstAt: 7000, attempt: 0 }]);
  });

  it('drops', async () => {
    const { dialogs, dropped } = stage([{ text: 'one', firstAt: 0, attempt: 9 }]);
    expect(await talk(dialogs, 'Posts DROP')).toEqual([{ kind: 'said', text: '1 dropped.' }]);
    expect(dropped).toHaveLength(1);
  });

  it('is for administrators', async () => {
    const { dialogs, dropped } = stage([{ text: 'one', firstAt: 0, attempt: 9 }]);
    expect(await talk(dialogs, 'posts drop', { isAdmin: false })).toEqual([
      { kind: 'said', text: 'This command is for the administrators of the bot.' },
    ]);
    expect(dropped).toEqual([]);
  });
});

function stage(dead: PostJob[]) {
  const renewed: PostJob[] = [];
  const dropped: PostJob[] = [];
  const queue = {
    count: async () => ({ waiting: 2, dead: dead.length }),
    listDead: async () => dead.map((data) => ({ data, at: new Date(5000) })),
    async retryDead(renew: (job: PostJob) => PostJob) {
      renewed.push(...dead.map(renew));
      return dead.length;
    },
    async dropDead() {
      dropped.push(...dead);
      return dead.length;
    },
  };
  const Posts = createKeptJobs(
    queue,
    ({ text }) => text,
    () => 7000,
  );
  return { dialogs: [createPosts({ kept: noKeptJobs({ Posts }) })], renewed, dropped };
}
