import { describe, expect, it } from 'vitest';
import type { Message, Place } from '../../../dialogs/format/message.ts';
import { createDeadJobs, type DeadQueue } from '../../../dialogs/jobs/dead-jobs.ts';
import { PLACE } from '../talk.ts';

const X = 'AA:BB:CC:DD:EE:FF';
const REASON = 'it is 24 hours old';

describe('a job that was given up', () => {
  it('is told to the asker of a lookup, who is mentioned', async () => {
    expect(await giveUp('lookup', { place: PLACE, addresses: [X] })).toEqual({
      said: [
        {
          place: PLACE,
          message: {
            text: `I gave up the lookup of \`${X}\`, because it is 24 hours old. Please ask again.`,
            mentionsAsker: true,
          },
        },
      ],
      posted: [],
    });
  });

  it("is told in an alert's thread, where nobody is mentioned", async () => {
    expect(await giveUp('alert', { thread: 'noc', addresses: [X] })).toEqual({
      said: [
        {
          place: PLACE,
          message: {
            text: `I gave up an alert with \`${X}\`, because it is 24 hours old. Please look the devices up yourself.`,
          },
        },
      ],
      posted: [],
    });
  });

  it.each<[string, DeadQueue, unknown, string]>([
    ['an alert without a thread', 'alert', { addresses: [X] }, `I gave up an alert with ${X}, because`],
    [
      'a reply',
      'reply',
      { place: PLACE },
      'I could not deliver an answer to its asker, and gave it up: it is',
    ],
    ['a lookup of no known form', 'lookup', 'x', 'I gave up the lookup of a device, because'],
  ])('is told to the room: %s', async (_, queue, data, words) => {
    expect(await giveUp(queue, data)).toEqual({ said: [], posted: [expect.stringContaining(words)] });
  });
});

async function giveUp(queue: DeadQueue, data: unknown) {
  const said: Array<{ place: Place; message: Message }> = [];
  const posted: string[] = [];
  const onDead = createDeadJobs({
    async deliver(_key, text) {
      posted.push(text);
      return { outcome: { kind: 'posted' }, partly: false, kept: false };
    },
    threads: { find: async (name) => (name === 'noc' ? PLACE : undefined) },
    sayLater: async (place, message) => void said.push({ place, message }),
    warn: () => {},
  });
  await onDead(queue)({ key: 'key', data, reason: REASON });
  return { said, posted };
}
