import { sayPostFault } from '../../../dialogs/lookup/fault-words.ts';
import { shakeHands } from '../../http/handshake.ts';
import type { PostFault } from '../../webhook/post-outcome.ts';
import { createSender } from '../../webhook/sender.ts';
import { type Examination, withCertificate } from './examination.ts';
import { type Diagnosis, type Finding, fails, works } from './finding.ts';
import { sayNoAnswer } from './no-answer.ts';

const CONNECTS_WITHIN_MS = 10_000;

const TEST_LINE = 'This is a test of nac-lookup-bot (npm run doctor -- --post). There is nothing to do.';

/** Connects to the room's webhook as a post would, and posts only if that was asked for. */
export async function examineWebhook(examination: Examination): Promise<Finding[]> {
  const { settings, wayOut, post } = examination;
  const { address, tls } = settings.webhook;
  const { base } = address();
  const diagnosis = post ? await postOnce(examination) : await connectOnce(examination);
  const trusted = { url: base, tls, setting: 'WEBHOOK_TLS', wayOut };
  return [{ system: 'webhook', ...(await withCertificate(diagnosis, trusted)) }];
}

async function connectOnce({ settings, wayOut }: Examination): Promise<Diagnosis> {
  const { address, tls } = settings.webhook;
  const { base } = address();
  const shaken = await shakeHands(base, { tls, timeoutMs: CONNECTS_WITHIN_MS, wayOut });
  if (shaken.kind !== 'connected') return sayNoAnswer(shaken, whereabouts(base.origin));
  return works(
    `${base.host} is reached${base.protocol === 'https:' ? ' and trusted' : ''}; whether the room takes posts, only a post shows:\nnpm run doctor -- --post`,
  );
}

async function postOnce({ settings, upstreams }: Examination): Promise<Diagnosis> {
  const { address } = settings.webhook;
  const { host } = address().base;
  const outcome = await createSender({ upstream: upstreams.webhook, address })(TEST_LINE);
  if (outcome.kind === 'posted') return works(`${host} took the post: one line stands in the room`);
  const last = upstreams.webhook.last();
  if (last && last.outcome.kind !== 'answered') return sayNoAnswer(last.outcome, whereabouts(last.origin));
  return fails(`the room did not take the post: ${sayPostFault(outcome)}`, adviceFor(outcome));
}

function adviceFor(fault: PostFault): string {
  switch (fault.kind) {
    case 'not found':
      return 'make a new webhook in the room, and set WEBHOOK_URL to its whole address';
    case 'rejected':
      return 'check WEBHOOK_FORM (v2 or legacy), WEBHOOK_URL and WEBHOOK_TOKEN';
    case 'error verdict':
    case 'failed':
      return 'try again; if it stays, ask those who run the chat';
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
    case 'no verdict':
      return 'check WEBHOOK_URL';
  }
}

function whereabouts(origin: string) {
  return { origin, address: 'WEBHOOK_URL', tls: 'WEBHOOK_TLS' };
}
