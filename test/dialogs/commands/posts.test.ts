import { describe, expect, it } from 'vitest';
import { createPosts } from '../../../dialogs/commands/posts.ts';
import type { PostJob } from '../../../src/webhook/delivery.ts';
import { talk } from '../talk.ts';

const WAYS = '`posts retry` tries the posts that were given up once more; `posts drop` forgets them.';

describe('posts', () => {
  it('counts, and lists what was given up', async () => {
    const { dialogs } = stage([{ text: 'AA:BB:CC:DD:EE:FF\nCorp_`Wired', firstAt: 0, attempt: 9 }]);
    expect(await talk(dialogs, 'posts')).toEqual([
      {
        kind: 'said',
        text: `2 waiting for another try, 1 given up.\n\n<5 s>: \`AA:BB:CC:DD:EE:FF Corp_ˋWired\`\n\n${WAYS}`,
      },
    ]);
  });

  it('does not offer retry and drop if nothing was given up', async () => {
    const { dialogs } = stage([]);
    expect(await talk(dialogs, 'posts')).toEqual([
      { kind: 'said', text: '2 waiting for another try, 0 given up.' },
    ]);
  });

  it('retries posts, with 24 hours from now', async () => {
    const { dialogs, renewed } = stage([{ text: 'one', firstAt: 0, attempt: 9 }]);
    expect(await talk(dialogs, 'posts retry')).toEqual([{ kind: 'said', text: '1 will be tried again.' }]);
    expect(renewed).toEqual([{ text: 'one', firstAt: 7000, attempt: 0 }]);
  });

  it('drops posts', async () => {
    const { dialogs, renewed } = stage([{ text: 'one', firstAt: 0, attempt: 9 }]);
    expect(await talk(dialogs, 'Posts DROP')).toEqual([{ kind: 'said', text: '1 dropped.' }]);
    expect(renewed).toEqual([undefined]);
  });

  it('is for administrators', async () => {
    const { dialogs, renewed } = stage([{ text: 'one', firstAt: 0, attempt: 9 }]);
    expect(await talk(dialogs, 'posts drop', { isAdmin: false })).toEqual([
      { kind: 'said', text: 'This command is for the administrators of the bot.' },
    ]);
    expect(renewed).toEqual([]);
  });
});

function stage(dead: PostJob[]) {
  const renewed: Array<PostJob | undefined> = [];
  const dialogs = [
    createPosts({
      now: () => 7000,
      queue: {
        count: async () => ({ waiting: 2, dead: dead.length }),
        listDead: async () => dead.map((data) => ({ data, at: new Date(5000) })),
        async emptyDead(renew) {
          renewed.push(...dead.map(renew));
          return dead.length;
        },
      },
    }),
  ];
  return { dialogs, renewed };
}
