import { expect, it } from 'vitest';
import { createDeadJobs, type DeadQueue } from '../../../dialogs/lookup/kept-lookups.ts';
import { reportNumber } from '../../../dialogs/lookup/report.ts';
import type { AuditEntry } from '../../../src/ops/audit.ts';
import { services } from '../all-dialogs.ts';
import { NOW, POSTED } from '../commands/lookup-stage.ts';
import { PLACE } from '../talk.ts';

const X = 'AA:BB:CC:DD:EE:FF';
const OTHER = '00:1B:54:00:00:01';
const NUMBER = reportNumber('key');
const REPORT = `Report number ${NUMBER}.`;

it('the audit of a job that was given up has a line for each device, with the number that is told', async () => {
  const job = { place: PLACE, person: 'alex', by: 'press', firstAt: NOW - 60_000, addresses: [X, OTHER] };
  const { said, audited } = await giveUp('lookup', job);
  const same = { number: NUMBER, by: 'press', person: 'alex', conversation: 'chat', outcome: 'given up' };
  const times = { askedAt: '2026-01-15T14:04:00.000Z', answeredAt: '2026-01-15T14:05:00.000Z' };
  expect(audited).toMatchObject([X, OTHER].map((asked) => ({ ...same, asked, ...times })));
  expect(said).toMatchObject([{ text: expect.stringMatching(new RegExp(`Please ask again\\. ${REPORT}$`)) }]);
});

it("the audit of an alert's job names the alert, whose key is its sender's; a post and a reply have none", async () => {
  const { audited } = await giveUp('alert', { thread: 'noc', addresses: [X] });
  expect(audited).toMatchObject([{ by: 'alert', alert: 'noc', conversation: 'chat', person: undefined }]);
  for (const queue of ['post', 'reply'] as const)
    expect(await giveUp(queue, { place: PLACE, text: X })).toMatchObject({ audited: [] });
});

it.each<[string, DeadQueue, object, object]>([
  [
    'the asker of a lookup, who is mentioned',
    'lookup',
    { place: PLACE },
    {
      text: `I gave up the lookup of \`${X}\`, because it is 24 hours old. Please ask again. ${REPORT}`,
      mentionsAsker: true,
    },
  ],
  [
    "an alert's thread, where nobody is mentioned",
    'alert',
    { thread: 'noc' },
    {
      text: `I gave up an alert with \`${X}\`, because it is 24 hours old. Please look the devices up yourself. ${REPORT}`,
    },
  ],
])('a job that was given up is told to %s', async (_, queue, job, message) => {
  const { said, posted } = await giveUp(queue, { ...job, addresses: [X] });
  expect([said, posted]).toEqual([[{ place: PLACE, ...message }], []]);
});

it.each<[string, DeadQueue, unknown, string]>([
  ['an alert without a thread', 'alert', { addresses: [X] }, `I gave up an alert with ${X}, because`],
  ['a reply', 'reply', { place: PLACE }, 'I could not deliver an answer to its asker, and gave it up: it is'],
  ['a lookup of no known form', 'lookup', 'x', 'I gave up the lookup of a device, because'],
])('a job that was given up is told to the room: %s', async (_, queue, data, words) => {
  expect(await giveUp(queue, data)).toMatchObject({ said: [], posted: [expect.stringContaining(words)] });
});

async function giveUp(queue: DeadQueue, data: unknown) {
  const said: object[] = [];
  const posted: string[] = [];
  const audited: AuditEntry[] = [];
  const onDead = createDeadJobs({
    ...services(),
    async deliver(_key, text) {
      posted.push(text);
      return POSTED;
    },
    threads: { ...services().threads, find: async (name) => (name === 'noc' ? PLACE : undefined) },
    async sayLater(place, message) {
      said.push({ place, ...message });
      return undefined;
    },
    warn: () => {},
    audit: (entry) => void audited.push(entry),
    now: () => NOW,
  });
  await onDead(queue)({ key: 'key later', data, reason: 'it is 24 hours old' });
  return { said, posted, audited };
}
