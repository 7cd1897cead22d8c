import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { MAX_ADDRESSES } from '../../dialogs/dialog.ts';
import type { Accepted, Alert } from '../../dialogs/jobs/alert-job.ts';
import { findMacAddresses, type MacAddress } from '../mac-address.ts';
import type { Secret } from '../text/secret.ts';
import { readJsonRequest } from './json-request.ts';

/** An answer to `POST /api/alerts`; `retryAfterS` is set if a retry can help. */
export type AlertAnswer =
  | { status: 202; body: { lookups: Array<{ mac: MacAddress; id: string }> } }
  | { status: 400 | 401 | 404 | 413 | 415 | 422 | 429 | 503; detail: string; retryAfterS?: number };

export type AlertOptions = {
  /** Takes addresses from the limit. Returns 0, or the milliseconds to wait if the limit is reached. */
  take(addresses: number): number;
  token: Secret;
  accept(alert: Alert): Promise<Accepted>;
  onError(error: unknown): void;
};

const bodySchema = z.object({ text: z.string(), thread: z.string().min(1).optional() });

/** Reads an alert and stores it. Answers 202 only when every device of the alert is in the database. */
export async function answerAlert(request: IncomingMessage, options: AlertOptions): Promise<AlertAnswer> {
  if (!isBearer(request.headers.authorization, options.token)) {
    return { status: 401, detail: 'The bearer token is missing or wrong.' };
  }
  const read = await readJsonRequest(request);
  if (read.kind === 'refused')
    return { status: read.status, detail: `The body was refused: ${read.reason}.` };
  const body = bodySchema.safeParse(read.value);
  if (!body.success)
    return {
      status: 400,
      detail: 'The body must be {"text": "...", "thread": "name"}; thread is optional.',
    };
  const { text, thread } = body.data;
  const addresses = findMacAddresses(text);
  if (addresses.length === 0) return { status: 400, detail: 'The text holds no MAC address.' };
  if (addresses.length > MAX_ADDRESSES) {
    return {
      status: 400,
      detail: `The text holds ${addresses.length} MAC addresses; at most ${MAX_ADDRESSES} are allowed.`,
    };
  }
  const waitMs = options.take(addresses.length);
  if (waitMs > 0) {
    const retryAfterS = Math.ceil(waitMs / 1000);
    return { status: 429, detail: 'Too many addresses in one minute.', retryAfterS };
  }
  const key = idempotencyKey(request) ?? randomUUID();
  try {
    const accepted = await options.accept({
      key,
      digest: createHash('sha256').update(read.text).digest('hex'),
      addresses,
      thread,
    });
    return answerFor(accepted, addresses, key);
  } catch (error) {
    options.onError(error);
    return { status: 503, detail: 'The alert could not be stored. Please send it again.', retryAfterS: 10 };
  }
}

function answerFor(accepted: Accepted, addresses: readonly MacAddress[], key: string): AlertAnswer {
  switch (accepted) {
    case 'accepted':
      return { status: 202, body: { lookups: addresses.map((mac) => ({ mac, id: lookupId(key, mac) })) } };
    case 'unknown thread':
      return {
        status: 404,
        detail: 'No thread has this name. To name a thread, type "alerts here as NAME" in it.',
      };
    case 'other alert':
      return { status: 422, detail: 'This Idempotency-Key was used for another alert.' };
    case 'full':
      return { status: 503, detail: 'Too many alerts are waiting already.', retryAfterS: 60 };
  }
}

function idempotencyKey({ headers }: IncomingMessage): string | undefined {
  const value = headers['idempotency-key'];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Compares digests, so the time is constant for any length. */
function isBearer(header: string | undefined, token: Secret): boolean {
  const given = /^Bearer +(.+)$/i.exec(header ?? '')?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token.reveal()));
}

function lookupId(key: string, mac: MacAddress): string {
  return createHash('sha256').update(`${key} ${mac}`).digest('base64url').slice(0, 22);
}
