import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Explain } from '../../../dialogs/answers/explain.ts';
import { toPlain } from '../../../dialogs/format/line.ts';
import { code, shorten } from '../../../dialogs/format/markdown.ts';
import type { Message, Place } from '../../../dialogs/format/message.ts';
import { acceptAlert } from '../../../dialogs/jobs/accept-alert.ts';
import { type AlertJob, workOnAlert } from '../../../dialogs/jobs/alert-job.ts';
import { findMacAddresses } from '../../../src/mac-address.ts';
import type { LookupOutcome } from '../../../src/nac/lookup.ts';
import { type AuditEntry, reportNumber } from '../../../src/ops/audit.ts';
import { wordsOf } from '../card-words.ts';
import { found, NOW, POSTED } from '../commands/lookup-stage.ts';
import { hostile } from '../hostile.ts';
import { deedOf, PLACE } from '../talk.ts';
import { expectWellFormed } from '../well-formed.ts';

const ONE = '00:1B:54:00:00:01';
const OTHER = '00:1B:54:00:00:02';
const NO_SESSION = 'no session. The NAC knows of no current session. Is the device plugged in and awake?';
const REPORT = `Report number ${reportNumber('alert-1')}.`;
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
        {
          digest: 'abc',
          addresses: [ONE, OTHER],
          details: { state: 'unknown' },
          arrivedAt: NOW,
          firstAt: NOW,
          attempt: 0,
        },
      ],
    ]);
  });

  it('without addresses is accepted, and nothing is stored', async () => {
    const { accept, jobs } = stage();
    expect(await accept({ ...alert, addresses: [] })).toBe('accepted');
    expect(await accept({ ...alert, addresses: [], thread: 'core' })).toBe('unknown thread');
    const details = { state: 'firing' as const, incidentKey: 'k' };
    expect(await accept({ ...alert, addresses: [], details })).toBe('accepted');
    expect(jobs).toEqual([]);
  });

  it('without addresses is stored if it says that an incident is resolved', async () => {
    const { accept, jobs } = stage();
    const details = { state: 'resolved' as const, incidentKey: 'k' };
    expect(await accept({ ...alert, addresses: [], details })).toBe('accepted');
    expect(jobs).toMatchObject([['alert-1', { addresses: [], details }]]);
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
      `${OTHER}: ${NO_SESSION}\n\nThe other device is well.\n\n${ONE}\nCorp_Wired_Access\nBasic_Authenticated_Access`,
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

  it('says in the room what rejected devices share', async () => {
    const addresses = [ONE, OTHER, '00:1B:54:00:00:03'];
    const rejected = found({ passed: 'false' });
    const { work, posts } = stage({
      outcomes: Object.fromEntries(addresses.map((each) => [each, rejected])),
    });
    await work({ ...JOB, addresses });
    expect(posts[0]).toMatch(/\n\n3 of 3 rejected hang on sw-floor2-17\.$/);
  });

  it('is answered in its thread too, the worst device first', async () => {
    const { work, said, told } = stage({ outcomes: { [ONE]: found() }, names: ['core'] });
    await work({ ...JOB, thread: 'core' });
    expect(told).toEqual([true]);
    expect(said.map(deedOf)).toEqual([
      {
        kind: 'said',
        text: `2 devices: 1 connected, 1 no session.\n\n\`${OTHER}\`: ${NO_SESSION}\n\nThe other device is well.\n\n\`${ONE}\`: connected. \`alex\`, \`sw-floor2-17\`, \`GigabitEthernet1/0/15\`, 2 hours ago  \n\`Corp_Wired_Access\`  \n\`Basic_Authenticated_Access\`\n\nThe devices were posted to the room.`,
        buttons: ['Look up all again'],
      },
    ]);
  });

  it('is said first, in thread and room, with a button that opens it', async () => {
    const { work, posts, said } = stage({ outcomes: { [ONE]: REJECTED, [OTHER]: found() }, names: ['core'] });
    await work({ ...JOB, addresses: [OTHER, ONE], thread: 'core', details: DETAILS, leftOut: 3 });
    expect(posts).toEqual([
      [
        'Alert resolved: `Port [x](https://evil.example) is up`\nSource: Alertmanager, Severity: critical, Since: 15 Jan 2026, 14:01 UTC',
        `${ONE}: rejected. The NAC finds no such user or device in its identity stores. The rule Basic_Authenticated_Access rejected the device.\nCorp_Wired_Access\nBasic_Authenticated_Access`,
        'The other device is well.',
        `${OTHER}\nCorp_Wired_Access\nBasic_Authenticated_Access`,
        'The alert held more addresses: I looked up the first 2, and left out 3.',
      ].join('\n\n'),
    ]);
    expect(said[0]?.text).toMatch(
      /^Alert resolved: `Port \[x\]\(https:\/\/evil\.example\) is up` {2}\nSource: `Alertmanager`, Severity: `critical`, Since: 15 Jan 2026, 14:01 UTC \(4 minutes ago\)\n\n2 devices: /,
    );
    expect(said[0]?.summary).toContain('Alert resolved: ');
    expect(said[0]?.card).toMatchObject({
      actions: [
        {
          type: 'Action.OpenUrl',
          title: 'Open the alert',
          url: 'https://prometheus.example/graph',
        },
        { type: 'Action.Submit' },
      ],
    });
    expect(wordsOf(said[0]?.card)).toContain('Link: prometheus.example');
    expect(said[0]?.text).toContain('left out 3');
  });

  it.each([
    ['firing', 'Alert firing.'],
    ['resolved', 'Alert resolved.'],
    ['unknown', 'Alert firing.'],
  ] as const)('that is %s and says nothing else begins with "%s"', async (state, words) => {
    const { work, posts, said } = stage({ names: ['core'] });
    await work({ ...JOB, addresses: [ONE], thread: 'core', details: { state } });
    expect([posts[0], said[0]?.text, said[0]?.summary].map((text) => text?.split(/ *\n/)[0])).toEqual([
      words,
      words,
      words,
    ]);
  });

  it('keeps hostile words out of markup', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const { work, posts, said } = stage({ names: ['core'] });
        await work({
          ...JOB,
          thread: 'core',
          details: { title: text, source: text, severity: text, state: 'firing' },
        });
        const { text: markdown = '', summary = '' } = said[0] ?? {};
        const quoted = code(shorten(text));
        expect(markdown).toContain(`Alert firing: ${quoted}  \nSource: ${quoted}, Severity: ${quoted}`);
        const plain = toPlain([{ foreign: shorten(text) }]);
        for (const each of [posts[0], summary]) expect(each).toContain(`Alert firing: ${plain}\n`);
      }),
      { numRuns: 30 },
    );
  });

  it('tells the last attempts in its thread, and not in the room', async () => {
    const attempts = [{ passed: false, at: NOW - 60_000, failureReason: '22040 Wrong password' }];
    const words = 'Last attempt: 1 minute ago, failed, `22040 Wrong password`.';
    const script: Script = {
      names: ['core'],
      explain: async (answers) => answers.map((answer) => ({ ...answer, attempts })),
    };
    const [several, one, before] = [stage(script), stage(script), stage({ names: ['core'] })];
    await several.work({ ...JOB, thread: 'core' });
    await one.work({ ...JOB, addresses: [ONE], thread: 'core' });
    await before.work({ ...JOB, thread: 'core' });
    expect(several.said[0]?.text.split(words)).toHaveLength(3);
    expect(one.said[0]?.text).toContain('Last attempts (24 hours):  \n1 minute ago: failed, `22040 Wrong');
    expect(several.posts).toEqual(before.posts);
  });

  it('asks for no last attempts if only the room is told', async () => {
    const { work } = stage({ explain: () => Promise.reject(new Error('not asked here')) });
    expect(await work(JOB)).toEqual({ kind: 'done' });
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
    expect(posts).toEqual([`${ONE}: time-out. The NAC did not answer within 6 s.\n\n${REPORT}`]);
  });

  it('is answered after ten minutes without a word of how long the NAC is left alone', async () => {
    const { work, posts } = stage({
      outcomes: { [ONE]: { kind: 'paused', until: NOW + 40_000, isForAll: true } },
    });
    await work({ ...JOB, addresses: [ONE], firstAt: NOW - 600_000 });
    expect(posts).toEqual([
      `${ONE}: not asked. The NAC was down all the time, so I gave up after 10 minutes. Please look up again later.\n\n${REPORT}`,
    ]);
  });
});

const REJECTED = found({
  passed: 'false',
  failure_reason: '22056 Subject not found',
});
const DETAILS = {
  title: 'Port [x](https://evil.example) is up',
  source: 'Alertmanager',
  severity: 'critical',
  startsAt: NOW - 4 * 60_000,
  incidentKey: 'k',
  state: 'resolved' as const,
  link: 'https://prometheus.example/graph',
};

type Script = {
  outcomes?: Record<string, LookupOutcome>;
  names?: string[];
  put?: 'known' | 'full';
  known?: AlertJob;
  explain?: Explain;
};

function stage({ outcomes = {}, names = [], put, known, explain = async (answers) => answers }: Script = {}) {
  const jobs: Array<[string, AlertJob]> = [];
  const posts: string[] = [];
  const said: Message[] = [];
  const told: boolean[] = [];
  const audited: AuditEntry[] = [];
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
    audited,
    accept: (alert: Parameters<typeof acceptAlert>[0]) => acceptAlert(alert, { queue, threads, now }),
    work: (job: AlertJob) =>
      workOnAlert(job, 'alert-1', {
        lookUp: async (address) => outcomes[address] ?? { kind: 'no session' },
        async deliver(_key, text, isTold = () => true) {
          posts.push(text);
          told.push(isTold());
          return POSTED;
        },
        explain,
        threads,
        audit: (entry) => void audited.push(entry),
        async sayLater(_place, message) {
          expectWellFormed(message);
          said.push(message);
          return undefined;
        },
        replaceLater: never,
        incidents: { hold: (_id, tell) => tell({ told: undefined, save: async () => {} }) },
        nacLink: undefined,
        now,
      }),
  };
}
