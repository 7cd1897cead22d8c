import { describe, expect, it } from 'vitest';
import type { Message, Place } from '../../../dialogs/format/message.ts';
import { type AlertJob, acceptAlert, workOnAlert } from '../../../dialogs/jobs/alert-job.ts';
import { findMacAddresses } from '../../../src/mac-address.ts';
import type { LookupOutcome } from '../../../src/nac/lookup.ts';
import { found, NOW, POSTED } from '../commands/lookup-stage.ts';
import { deedOf, PLACE } from '../talk.ts';
import { expectWellFormed } from '../well-formed.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';
const JOB: AlertJob = { digest: 'abc', addresses: [ONE, OTHER], firstAt: NOW - 60_000, attempt: 1 };

describe('an alert that comes in', () => {
  const alert = {
    key: 'alert-1',
    digest: 'abc',
    addresses: findMacAddresses(`${ONE} ${OTHER}`),
    leftOut: 0,
    thread: undefined,
    details: { state: 'unknown' as const },
  };

  it('is stored in the database', async () => {
    const { accept, jobs } = stage();
    expect(await accept(alert)).toBe('accepted');
    expect(jobs).toEqual([
      [
        'alert-1',
        { digest: 'abc', addresses: [ONE, OTHER], details: { state: 'unknown' }, firstAt: NOW, attempt: 0 },
      ],
    ]);
  });

  it('without addresses is accepted, and nothing is stored', async () => {
    const { accept, jobs } = stage();
    expect(await accept({ ...alert, addresses: [] })).toBe('accepted');
    expect(await accept({ ...alert, addresses: [], thread: 'core' })).toBe('unknown thread');
    expect(jobs).toEqual([]);
  });

  it('for a known thread is stored with its name', async () => {
    const { accept, jobs } = stage({ names: ['core'] });
    expect(await accept({ ...alert, thread: 'core' })).toBe('accepted');
    expect(jobs).toMatchObject([['alert-1', { thread: 'core' }]]);
  });

  it('for an unknown thread is refused', async () => {
    const { accept, jobs } = stage();
    expect(await accept({ ...alert, thread: 'core' })).toBe('unknown thread');
    expect(jobs).toEqual([]);
  });

  it.each([
    ['known', 'abc', 'accepted'],
    ['known', 'another', 'other alert'],
    ['full', 'abc', 'full'],
  ] as const)('that is %s, with digest %s, is %s', async (put, digest, accepted) => {
    const { accept } = stage({ put, known: { ...JOB, digest } });
    expect(await accept(alert)).toBe(accepted);
  });
});

describe('an alert', () => {
  it('is answered in the room, each device with its tokens or a sentence', async () => {
    const { work, posts, said, told } = stage({ outcomes: { [ONE]: found() } });
    expect(await work(JOB)).toEqual({ kind: 'done' });
    expect(posts).toEqual([
      `${ONE}\nCorp_Wired_Access\nBasic_Authenticated_Access\n\n${OTHER}: no session. The NAC knows of no current session of this device. Is it plugged in and awake?`,
    ]);
    expect(said).toEqual([]);
    expect(told).toEqual([false]); // So a refused post becomes a dead letter.
  });

  it('says in the room that a session has no tokens', async () => {
    const { work, posts } = stage({
      outcomes: { [ONE]: { kind: 'found', tokens: [], record: {}, text: '' } },
    });
    await work({ ...JOB, addresses: [ONE] });
    expect(posts).toEqual([`${ONE}: session found, without tokens.`]);
  });

  it('is answered in its thread too, like a lookup', async () => {
    const { work, said, told } = stage({ outcomes: { [ONE]: found() }, names: ['core'] });
    await work({ ...JOB, thread: 'core' });
    expect(told).toEqual([true]);
    expect(said.map(deedOf)).toEqual([
      {
        kind: 'said',
        text: `2 devices: 1 connected, 1 no session.\n\n\`${ONE}\`: connected. \`alex\`, \`sw-floor2-17\`, \`GigabitEthernet1/0/15\`  \n\`Corp_Wired_Access\`  \n\`Basic_Authenticated_Access\`\n\n\`${OTHER}\`: no session\n\nThe tokens were posted to the room.`,
        buttons: ['Look up all again'],
      },
    ]);
  });

  it('is answered only in the room if its thread has lost its name', async () => {
    const { work, posts, said, told } = stage();
    expect(await work({ ...JOB, thread: 'core' })).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(1);
    expect(said).toEqual([]);
    expect(told).toEqual([false]);
  });

  it('waits while the NAC is down, and says nothing', async () => {
    const { work, posts } = stage({ outcomes: { [ONE]: { kind: 'unreachable' } } });
    expect(await work(JOB)).toMatchObject({ kind: 'again', data: { ...JOB, attempt: 2 } });
    expect(posts).toEqual([]);
  });

  it('is answered after ten minutes, whatever is known then', async () => {
    const { work, posts } = stage({ outcomes: { [ONE]: { kind: 'timed out', timeoutMs: 6000 } } });
    expect(await work({ ...JOB, addresses: [ONE], firstAt: NOW - 600_000 })).toEqual({ kind: 'done' });
    expect(posts).toEqual([`${ONE}: time-out. The NAC did not answer within 6 s.`]);
  });
});

type Script = {
  outcomes?: Record<string, LookupOutcome>;
  names?: string[];
  put?: 'known' | 'full';
  known?: AlertJob;
};

function stage({ outcomes = {}, names = [], put, known }: Script = {}) {
  const jobs: Array<[string, AlertJob]> = [];
  const posts: string[] = [];
  const said: Message[] = [];
  const told: boolean[] = [];
  const never = () => Promise.reject(new Error('not asked here'));
  const threads = {
    save: never,
    names: never,
    remove: never,
    find: async (name: string): Promise<Place | undefined> => (names.includes(name) ? PLACE : undefined),
  };
  const queue = {
    find: async () => known,
    async put(key: string, job: AlertJob) {
      if (put === undefined) jobs.push([key, job]);
      return put ?? ('put' as const);
    },
  };
  const now = () => NOW;
  return {
    jobs,
    posts,
    said,
    told,
    accept: (alert: Parameters<typeof acceptAlert>[0]) => acceptAlert(alert, { queue, threads, now }),
    work: (job: AlertJob) =>
      workOnAlert(job, 'alert-1', {
        lookUp: async (address) => outcomes[address] ?? { kind: 'no session' },
        async deliver(_key, text, isTold = () => true) {
          posts.push(text);
          told.push(isTold());
          return POSTED;
        },
        threads,
        async sayLater(_place, message) {
          expectWellFormed(message);
          said.push(message);
        },
        now,
      }),
  };
}
