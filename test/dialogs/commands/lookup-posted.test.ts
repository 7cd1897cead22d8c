import { describe, expect, it } from 'vitest';
import type { HttpFault } from '../../../src/domain/outcome.ts';
import type { Delivery } from '../../../src/webhook/delivery.ts';
import type { PostOutcome } from '../../../src/webhook/sender.ts';
import { found, POSTED, REPORT, stageLookup } from './lookup-stage.ts';

const ONE = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';

/** What the asker reads for every kind of failed post. */
const NOT_POSTED: ReadonlyArray<[fault: string, outcome: PostOutcome]> = [
  ['its webhook does not exist (not found)', { kind: 'not found', final: true }],
  ['its webhook rejected them (HTTP status 400)', { kind: 'rejected', status: 400, final: true }],
  ['its webhook answered with an error', { kind: 'error verdict', final: false }],
  ['its webhook failed (HTTP status 503)', { kind: 'failed', status: 503, retryAfterMs: 0, final: false }],
  [
    'its webhook did not answer within 5 s (time-out)',
    unanswered({ kind: 'timed out', timeoutMs: 5000, begun: true }),
  ],
  [
    "nothing was sent, because the bot does not trust the certificate of the room's webhook (expired or not yet valid)",
    unanswered({ kind: 'untrusted', reason: 'expired' }),
  ],
  ['its webhook could not be reached', unanswered({ kind: 'unreachable', code: 'ECONNREFUSED' })],
  ['its webhook sent an answer that could not be read', unanswered({ kind: 'cut off' })],
  ['its webhook sent an answer that could not be read', unanswered({ kind: 'too large', maxBytes: 1 })],
];

describe('what a lookup posts to the room', () => {
  it('is the address and the tokens, literally, one a line', async () => {
    const stage = stageLookup({ outcomes: found() });
    await stage.ask(ONE);
    expect(stage.posts).toEqual([
      { key: 'message-1', text: `${ONE}\nCorp_Wired_Access\nBasic_Authenticated_Access` },
    ]);
  });

  it('is one post for all devices with tokens', async () => {
    const stage = stageLookup({
      outcomes: {
        [ONE]: found({ selected_azn_profiles: 'One_Access', other: {} }),
        [OTHER]: found({ selected_azn_profiles: 'Other_Access', other: {} }),
      },
    });
    await stage.ask(`${ONE} 00:1B:54:00:00:99 ${OTHER}`);
    expect(stage.posts).toEqual([{ key: 'message-1', text: `${ONE}\nOne_Access\n\n${OTHER}\nOther_Access` }]);
  });

  it('is reported as posted', async () => {
    expect(await endingOf(POSTED)).toBe('The tokens were posted to the room.');
  });

  it.each(NOT_POSTED)('is reported as not posted: %s', async (fault, outcome) => {
    expect(await endingOf({ outcome, partly: false, kept: false })).toBe(
      `The tokens were not posted to the room: ${fault}.${adviceOn(outcome)}`,
    );
  });

  it.each(NOT_POSTED)('is reported as posted in part: %s', async (fault, outcome) => {
    expect(await endingOf({ outcome, partly: true, kept: false })).toBe(
      `Some of the tokens were posted to the room; the rest were not posted: ${fault}.${adviceOn(outcome)}`,
    );
  });

  it.each(NOT_POSTED.filter(([, { kind }]) => kind !== 'not found' && kind !== 'rejected'))(
    'is reported as tried again: %s',
    async (fault, outcome) => {
      expect(await endingOf({ outcome, partly: false, kept: true })).toBe(
        `The tokens were not posted to the room: ${fault}. I keep trying for 24 hours.`,
      );
    },
  );
});

/** The answer's last paragraph before the number, the same for one device and for several. */
async function endingOf(delivery: Delivery): Promise<string | undefined> {
  const [one, several] = await Promise.all(
    [ONE, `${ONE} ${OTHER}`].map(async (text) => {
      const answer = await stageLookup({ outcomes: found(), delivery }).answer(text);
      const [last, beforeLast] = answer.text.split('\n\n').toReversed();
      expect(last === REPORT).toBe(delivery.outcome.kind !== 'posted');
      return last === REPORT ? beforeLast : last;
    }),
  );
  expect(several).toBe(one);
  return one;
}

function unanswered(fault: HttpFault): PostOutcome {
  return { kind: 'no answer', fault, final: false };
}

function adviceOn(outcome: PostOutcome): string {
  const isUntrusted = outcome.kind === 'no answer' && outcome.fault.kind === 'untrusted';
  const settings = isUntrusted ? 'WEBHOOK_TLS' : 'WEBHOOK_URL and WEBHOOK_TOKEN';
  return ` Please pass them on yourself. Whoever runs the bot can check ${settings}.`;
}
