import type { Delivery } from '../../src/webhook/delivery.ts';
import type { PostFault } from '../../src/webhook/post-outcome.ts';
import { sayUntrusted } from '../trust-words.ts';

/** What became of the room's post, in words of ours alone. */
export function sayDelivery({ outcome, partly, kept }: Delivery): string {
  if (outcome.kind === 'posted') return 'The tokens were posted to the room.';
  const what = partly
    ? 'A part of the tokens was posted to the room, the rest was not posted'
    : 'The tokens were not posted to the room';
  const fault = `${what}: ${sayPostFault(outcome)}.`;
  return kept ? `${fault} I keep trying for 24 hours.` : fault;
}

function sayPostFault(post: PostFault): string {
  switch (post.kind) {
    case 'not found':
      return 'its webhook does not exist (not found)';
    case 'rejected':
      return `its webhook rejected them (HTTP status ${post.status})`;
    case 'error verdict':
      return 'its webhook answered with an error';
    case 'failed':
      return `its webhook failed (HTTP status ${post.status})`;
    case 'timed out':
      return `its webhook did not answer within ${post.timeoutMs / 1000} s (time-out)`;
    case 'untrusted':
      return `nothing was sent, ${sayUntrusted("the room's webhook", post.reason)}`;
    case 'unreachable':
      return 'its webhook could not be reached';
    case 'no verdict':
      return 'its webhook sent an answer that could not be read';
  }
}
