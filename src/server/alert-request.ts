import { hash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Request } from 'restify';
import type { Accepted, Alert } from '../../dialogs/alerts/incident-jobs.ts';
import { MAX_ADDRESSES } from '../../dialogs/dialog.ts';
import { readAlert } from '../alerts/alert.ts';
import { joinPairs } from '../alerts/fields.ts';
import type { Secret } from '../domain/secret.ts';
import { parseShallow } from '../domain/text.ts';
import { decoderFor, unpack } from '../http.ts';
import { mediaType, type ReadBody, type Refusal, refused } from './requests.ts';

export type AlertOptions = {
  token: Secret;
  accept(alert: Alert): Promise<Accepted>;
  onError(error: unknown): void;
};
type Reading = { readBody: ReadBody; pacer: ReturnType<typeof createPacer> };

/**
 * Reads an alert and stores it. Answers 202 only when the alert's first 20 devices are in the database. Refuses, in this
 * order: no token or a wrong one, before the body is read (401); the refusals of {@link readAlertBody} (415, 413, 503, 400); an
 * unknown thread (404); a key of another alert (422); the limit, no room or no database (503).
 */
export async function answerAlert(request: Request, options: AlertOptions & Reading) {
  const { authorization, 'idempotency-key': key = '' } = request.headers;
  const query = new URLSearchParams(request.url?.replace(/^[^?]*/, ''));
  const name = request.params.name || query.get('thread') || undefined;
  if (!hasToken(authorization, query, options.token))
    return problem(401, 'The token is missing or wrong.', { alert: name });
  const read = await readAlertBody(request, options);
  if (read.kind === 'refused')
    return problem(read.status, `The body was refused: ${read.reason}.`, { alert: name });
  const alert = toAlert(read, name, String(key).trim());
  const accepted = await options.accept(alert).catch((error: unknown) => {
    options.onError(error);
    return 'not stored' as const;
  });
  if (accepted !== 'accepted') return { ...REFUSALS[accepted], alert: alert.thread };
  const idOf = (mac: string) => digestOf(`${alert.request} ${mac}`).slice(0, 22);
  const lookups = alert.addresses.map((mac) => ({ mac, id: idOf(mac) }));
  return { status: 202, body: { lookups } };
}

const problem = (status: number, detail: string, more: Partial<Refusal> = {}): Refusal => {
  return { ...refused(status, detail), detail, ...more };
};

export const UNKNOWN_THREAD = problem(
  404,
  'No thread has this name. To name a thread, type "alerts here as NAME" in it.',
);
const REFUSALS: Readonly<Record<Exclude<Accepted, 'accepted'> | 'not stored', Refusal>> = {
  'unknown thread': UNKNOWN_THREAD,
  'other alert': problem(422, 'This Idempotency-Key was used for another alert.'),
  'too many': problem(503, 'Too many addresses in one minute.', { retryAfterS: 60 }),
  full: problem(503, 'Too many alerts are waiting already.', { retryAfterS: 60 }),
  'not stored': problem(503, 'The alert could not be stored. Please send it again.'),
};

type Body = { value: unknown; text: string; found: ReturnType<typeof readAlert> };

/** @param key the sender's own; can be empty */
function toAlert({ value, text, found }: Body, name: string | undefined, key: string): Alert {
  const { details, devices } = found;
  const { thread, Type, SubscribeURL }: Record<string, unknown> = Object(value);
  const asksToConfirm = Type === 'SubscriptionConfirmation' && SNS_LINK.test(String(SubscribeURL));
  return {
    request: key || randomUUID(),
    digest: key ? digestOf(text) : undefined,
    addresses: devices.slice(0, MAX_ADDRESSES),
    leftOut: Math.max(0, devices.length - MAX_ADDRESSES),
    // In the body of another sender, a `thread` that is no text means something else.
    thread: name ?? ((typeof thread === 'string' && thread) || undefined),
    details: { ...details, incidentKey: details.incidentKey && digestOf(details.incidentKey) },
    confirmation: asksToConfirm ? String(SubscribeURL) : undefined,
  };
}

/** Amazon SNS sends such a link before its first alert. Somebody must open it, so only Amazon's own links count. */
const SNS_LINK = /^https:\/\/sns\.[a-z\d-]+\.amazonaws\.com(?:\.cn)?\/[\w.~:/?&=%+-]{0,1900}$/;

const digestOf = (text: string) => hash('sha256', text, 'hex');

/** Accepts a bearer token, Basic's password, or `?token=`. Compares digests, so the time depends on no part of the token. */
function hasToken(authorization = '', query: URLSearchParams, token: Secret): boolean {
  const expected = Buffer.from(digestOf(token.reveal()));
  const bearer = /^Bearer +(.+)$/i.exec(authorization)?.[1];
  const basic = /^Basic +([\w+/=-]+) *$/i.exec(authorization)?.[1] ?? '';
  const password = /:(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8'))?.[1];
  const inQuery = query.get('token') ?? '';
  const given = [bearer, password, inQuery, inQuery.replaceAll(' ', '+')]; // A plus in an address reads as a blank.
  return given.some((each = '') => timingSafeEqual(Buffer.from(digestOf(each)), expected));
}

/** A body without a type is JSON or text. */
const TYPES = /^(?:|application\/(?:json|x-www-form-urlencoded)|[\w.-]+\/[^\s/;]+\+json|text\/plain)$/;

const MAX_BYTES = 1024 * 1024;

/**
 * Reads a request's unread body as JSON, as the fields of a form, or as plain text; its own text, unpacked; and the alert in
 * it. Refuses, in this order: neither JSON, a form nor text, another encoding than gzip, or an unknown charset (415); the
 * refusals of {@link ReadBody} over 1 MB (413, 503, 400); over 1 MB unpacked, or 5,000 fields of a form (413); empty,
 * badly packed, not in its charset, not JSON, or nested too deeply (400).
 */
async function readAlertBody(request: IncomingMessage, { readBody, pacer }: Reading) {
  const { 'content-type': header, 'content-encoding': encoding = '' } = request.headers;
  const type = mediaType(header) ?? '';
  if (!TYPES.test(type)) return refused(415, 'media type');
  if (!/^\s*(?:|identity|(?:x-)?gzip)\s*$/i.test(encoding)) return refused(415, 'content encoding');
  const decoder = decoderFor(header, { fatal: true });
  if (decoder === undefined) return refused(415, 'charset');
  const read = (packed: Buffer) => {
    const text = decodeBody(packed, encoding, decoder);
    if (typeof text !== 'string') return text;
    const parsed = parse(text, type);
    if ('kind' in parsed) return parsed;
    return { kind: 'read' as const, ...parsed, text, found: readAlert(parsed.value) };
  };
  return readBody(request, MAX_BYTES, (packed) => pacer(() => read(packed)));
}

function decodeBody(packed: Buffer, encoding: string, decoder: TextDecoder) {
  try {
    return decoder.decode(unpack(packed, encoding, MAX_BYTES)) || refused(400, 'empty');
  } catch (error) {
    if (error instanceof RangeError) return refused(413, 'too large when unpacked');
    return refused(400, 'badly packed, or not its charset');
  }
}

function parse(text: string, type: string) {
  const isJson = type.endsWith('json');
  // `curl -d` calls everything a form, and Amazon SNS a text.
  const json = isJson || type === '' || /^\s*[[{]/.test(text) ? parseShallow(text) : undefined;
  if (json !== undefined) return { value: json };
  if (isJson) return refused(400, 'not JSON, or nested too deeply');
  if (!type.endsWith('urlencoded')) return { value: text };
  // Counted before: URLSearchParams would take seconds for 500,000 names.
  if (text.split('&', 5001).length > 5000) return refused(413, 'too many fields');
  const pairs = [...new URLSearchParams(text)];
  const [[only, value] = [], ...others] = pairs;
  return { value: value === '' && others.length === 0 ? only : joinPairs(pairs) };
}

/**
 * Runs work that takes the processor, one piece at a time. Between two pieces, everything else has the processor for as long as
 * the last one took. @param steady a clock that is never set back (milliseconds)
 */
export function createPacer(steady: () => number) {
  let free: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Result): Promise<Result> => {
    const begun = free.then(steady);
    const done = begun.then(work);
    free = done.catch(() => {}).then(async () => setTimeout(steady() - (await begun)));
    return done;
  };
}
