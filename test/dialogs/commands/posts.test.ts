import { describe, expect, it } from 'vitest';
import { createKeptJobs, createPosts, createRoomNotice } from '../../../dialogs/commands/posts.ts';
import type { SystemState } from '../../../src/ops/health.ts';
import type { PostJob } from '../../../src/webhook/posts.ts';
import { noKeptJobs } from '../all-dialogs.ts';
import { talk } from '../talk.ts';

const WAYS = '`posts retry` tries all that was given up once more; `posts drop` forgets it.';

const ONE: PostJob = { text: 'AA:BB:CC:DD:EE:FF\nCorp_`Wired', attempt: 9 };

describe('posts', () => {
  it.each<[string, PostJob[], string, { renewed?: string[]; dropped?: string[] }?]>([
    ['posts', [ONE], `Posts: 2 waiting, 1 given up.\n\n<5 s>: \`AA:BB:CC:DD:EE:FF Corp_ˋWired\`\n\n${WAYS}`],
    ['posts', [], 'Posts: 2 waiting, 0 given up.'],
    ['posts retry', [ONE], '1 will be tried again.', { renewed: [ONE.text] }],
    ['Posts DROP', [ONE], '1 dropped.', { dropped: [ONE.text] }],
  ])('"%s", with %j given up', async (typed, dead, text, { renewed = [], dropped = [] } = {}) => {
    const { dialogs, ...done } = stage(dead);
    expect(await talk(dialogs, typed)).toEqual([{ kind: 'said', text }]);
    expect(done).toEqual({ renewed, dropped });
  });

  it('counts refused posts, lookups, answers and alerts too, where there are any', async () => {
    const Lookups = { ...noKeptJobs().Lookups, count: async () => ({ waiting: 0, dead: 3 }) };
    const Posts = { ...noKeptJobs().Posts, count: async () => ({ waiting: 0, dead: 0, refused: 2 }) };
    const text =
      'Posts: 0 waiting, 0 given up, 2 refused since the start.  \nLookups: 0 waiting, 3 given up.';
    const dialogs = [createPosts({ kept: noKeptJobs({ Posts, Lookups }) })];
    expect(await talk(dialogs, 'posts')).toEqual([{ kind: 'said', text }]);
  });
});

it.each<[SystemState, string[]]>([
  [{ kind: 'not asked yet' }, []],
  [{ kind: 'ok', at: 2, since: 1, why: 'posted' }, []],
  [{ kind: 'failing', at: 2, since: 1, why: 'failed' }, []],
  [{ kind: 'failing', at: 2, since: 1, why: 'not found' }, ['does not exist any more']],
  [{ kind: 'failing', at: 2, since: 1, why: 'suspended' }, ['is suspended']],
])('of the webhook %j an administrator is told once: %j', (webhook, told) => {
  const unseen = { kind: 'not asked yet' } as const;
  const noticeFor = createRoomNotice({ seen: () => ({ nac: unseen, chat: unseen, webhook }) });
  const notices = ['alex', 'alex'].flatMap((person) => noticeFor(person) ?? []);
  expect(notices).toEqual(
    told.map((fault) => expect.stringContaining(`its webhook ${fault}. Make a new one`)),
  );
});

function stage(dead: PostJob[]) {
  const renewed: string[] = [];
  const dropped: string[] = [];
  const queue = {
    count: async () => ({ waiting: 2, dead: dead.length }),
    dead: async () => dead.map((data) => ({ key: data.text, data, reason: 'not found', at: new Date(5000) })),
    revive: async (key: string) => renewed.push(key) > 0,
    settle: async (key: string) => void dropped.push(key),
  };
  const sayJob = ({ text }: PostJob) => text;
  const Posts = createKeptJobs(queue, sayJob);
  return { dialogs: [createPosts({ kept: noKeptJobs({ Posts }) })], renewed, dropped };
}
