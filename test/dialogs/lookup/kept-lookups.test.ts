import { describe, expect, it, vi } from 'vitest';
import { createDeadJobs, type DeadQueue, type LookupJob } from '../../../dialogs/lookup/kept-lookups.ts';
import { reportNumber } from '../../../dialogs/lookup/report.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { services } from '../all-dialogs.ts';
import { DOWN, NONE, NOW, POSTED, REPORT, stageLookup } from '../commands/lookup-stage.ts';
import { PLACE } from '../talk.ts';

const ONE = 'AA:BB:CC:DD:EE:FF';
const OTHER = '00:1B:54:00:00:01';
const MINUTE = 60_000;
const NUMBER = reportNumber('key');
const ASKED = { place: PLACE, person: 'alex', addresses: [ONE, OTHER], arrivedAt: NOW - MINUTE };
const JOB: LookupJob = { ...ASKED, attempt: 3 };
const TELL = 'Tell it to whoever runs the bot.';
const UNREACHABLE = 'The NAC or the network between is down, or NAC_URL is wrong.';

describe('a lookup that was kept', () => {
  it.each([
    ['while the NAC is down', DOWN],
    ['while the NAC answers for a part, because one message tells all', { [ONE]: NONE, [OTHER]: DOWN }],
  ])('is tried again whole, with longer waits, and says nothing: %s', async (_, outcomes) => {
    const { resume, later } = stageLookup({ outcomes });
    const outcome = await resume({ ...JOB, messageId: 'message-2' }, 'key');
    expect(outcome).toMatchObject({ kind: 'again', data: { ...ASKED, attempt: 4, messageId: 'message-2' } });
    expect(outcome.kind === 'again' && outcome.afterMs).toBeGreaterThanOrEqual(8000);
    expect(later).toEqual([]);
  });

  it.each<[LookupOutcome, string, string]>([
    [
      DOWN,
      `${UNREACHABLE}\n\n\`${ONE}\`: the NAC could not be reached\n\n\`${OTHER}\`: the NAC could not be reached`,
      'I tried for 10 minutes and gave up. Please look up again later.\n\n',
    ],
    [
      { kind: 'paused', until: NOW + 40_000, isForAll: true },
      `The NAC was down all the time, so I gave up after 10 minutes. Please look up again later.\n\n\`${ONE}\`: not asked\n\n\`${OTHER}\`: not asked`,
      '',
    ],
  ])('is given up after ten minutes, and says so once: %j', async (outcomes, devices, ending) => {
    const { resume, later } = stageLookup({ outcomes });
    expect(await resume(JOB, 'key', 10 * MINUTE)).toEqual({ kind: 'done' });
    const text = `2 devices not known: the NAC does not answer.\n\n${devices}\n\n${ending}Report number ${NUMBER}. ${TELL}`;
    expect(later).toEqual([{ kind: 'said', text, buttons: ['Look up all again'] }]);
  });
});

const KEPT = 'I keep trying for 10 minutes; the answer will come here.';
const FULL = 'Too many lookups are waiting already, so I do not try again by myself. Please ask again later.';

it.each([
  ['put', KEPT],
  ['known', KEPT],
  ['full', FULL],
  ['failing', 'Please look up again in a minute.'],
] as const)('a lookup while the NAC is down promises only what is kept: %s', async (result, promise) => {
  const put = async () => (result === 'failing' ? Promise.reject(new Error('no database')) : result);
  const stage = stageLookup({ outcomes: DOWN, put });
  const text = `\`${ONE}\`: the NAC could not be reached. ${UNREACHABLE}\n\n${promise}\n\n${REPORT}`;
  expect(await stage.ask(`lookup ${ONE}`)).toEqual([{ kind: 'said', text, buttons: ['Look up again'] }]);
  expect(stage.errors).toHaveLength(result === 'failing' ? 1 : 0);
  expect(stage.audited).toHaveLength(result === 'failing' || result === 'full' ? 1 : 0); // Else with the answer.
});

it('the audit of a job that was given up has a line for each device, with the number that is told', async () => {
  const job = { ...ASKED, by: 'press' };
  const { audited } = await giveUp('lookup', job);
  const same = { number: NUMBER, by: 'press', person: 'alex', conversation: 'chat', outcome: 'given up' };
  const times = { askedAt: '2026-01-15T14:04:00.000Z', answeredAt: '2026-01-15T14:05:00.000Z' };
  expect(audited).toMatchObject([ONE, OTHER].map((asked) => ({ ...same, asked, ...times })));
});

it("the audit of an alert's job names the alert, whose key is its sender's; a post and a reply have none", async () => {
  const { audited } = await giveUp('alert', { thread: 'noc', addresses: [ONE] });
  expect(audited).toMatchObject([{ by: 'alert', alert: 'noc', conversation: 'chat', person: undefined }]);
  for (const queue of ['post', 'reply'] as const)
    expect(await giveUp(queue, { place: PLACE, text: ONE })).toMatchObject({ audited: [] });
});

it.each<[string, DeadQueue, object, string, string, object]>([
  ['a lookup, by mention', 'lookup', { place: PLACE }, 'the lookup of', 'ask again', { mentionsAsker: true }],
  ['an alert', 'alert', { thread: 'noc' }, 'an alert with', 'look the devices up yourself', {}],
])('a job that was given up is told where it was asked: %s', async (_, queue, job, what, advice, mention) => {
  const { said, posted } = await giveUp(queue, { ...job, addresses: [ONE] });
  const text = `I gave up ${what} \`${ONE}\`, because it is 24 hours old. Please ${advice}. Report number ${NUMBER}. ${TELL}`;
  expect([said, posted]).toEqual([[{ place: PLACE, text, ...mention }], []]);
});

it('a post that was given up is told where its tokens were asked for, and nowhere if nobody asked', async () => {
  const text = `The room never took the post about \`${ONE}\`, and I gave it up: it is 24 hours old. Please tell the team yourself. Report number ${NUMBER}. ${TELL}`;
  expect(await giveUp('post', { place: PLACE, text: `${ONE} connected\na_b` })).toMatchObject({
    said: [{ place: PLACE, text }],
    posted: [],
  });
  expect(await giveUp('post', { text: ONE })).toMatchObject({ said: [], posted: [] });
});

it.each<[string, DeadQueue, unknown, string]>([
  ['an alert without a thread', 'alert', { addresses: [ONE] }, `I gave up an alert with ${ONE}, because`],
  ['a reply', 'reply', { place: PLACE }, 'I could not deliver an answer to its asker, and gave it up: it is'],
  ['a lookup of no known form', 'lookup', 'x', 'I gave up the lookup of a device, because'],
])('a job that was given up is told to the room: %s', async (_, queue, data, words) => {
  expect(await giveUp(queue, data)).toMatchObject({ said: [], posted: [expect.stringContaining(words)] });
});

it("a device's job that was given up is logged, and ends the wait of its alert; nobody is told", async () => {
  const job = { incident: 'x', address: ONE };
  const nothing = { said: [], posted: [], audited: [] };
  expect(await giveUp('device', job)).toEqual({ ...nothing, ended: [job] });
});

async function giveUp(queue: DeadQueue, data: unknown) {
  const [said, posted]: [unknown[], unknown[]] = [[], []];
  const [audited, ended]: [unknown[], unknown[]] = [[], []];
  const warn = vi.fn();
  const onDead = createDeadJobs({
    room: {
      async post(_id, text) {
        posted.push(text);
        return POSTED;
      },
    },
    threads: { ...services().threads, find: async (name) => (name === 'noc' ? PLACE : undefined) },
    async sayLater(place, message) {
      said.push({ place, ...message });
      return undefined;
    },
    warn,
    giveUpDevice: async (job) => void ended.push(job),
    audit: (entry) => void audited.push(entry),
    now: () => NOW,
  });
  await onDead(queue)({ key: 'key later', data, reason: 'it is 24 hours old' });
  expect(warn.mock.calls).toEqual([[queue, 'it is 24 hours old']]);
  return { said, posted, audited, ended };
}
