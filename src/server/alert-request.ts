import { hash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Accepted, Alert } from '../../dialogs/alerts/accept-alert.ts';
import { MAX_ADDRESSES } from '../../dialogs/dialog.ts';
import { readAlert } from '../alerts/alert.ts';
import { joinPairs } from '../alerts/fields.ts';
import type { Secret } from '../domain/secret.ts';
import { parseShallow } from '../domain/text.ts';
import { charsetIn, decoderFor, unpack } from '../http.ts';
import { decode, mediaType, type ReadBody, refused } from './request-body.ts';

type Status = 400 | 401 | 404 | 413 | 415 | 422 | 503;
type Refused = { status: Status; detail: string; retryAfterS?: number; thread?: string | undefined };
export type AlertAnswer = { status: 202; body: { lookups: Array<{ mac: string; id: string }> } } | Refused;

export type AlertOptions = {
  token: Secret;
  accept(alert: Alert): Promise<Accepted>;
  onError(error: unknown): void;
};
type Reading = { readBody: ReadBody; pacer: Pacer };

/**
 * Reads an alert and stores it. Answers 202 only when the alert's first 20 devices are in the database. Refuses, in this
 * order: no token or a wrong one, before the body is read (401); the refusals of {@link readAlertBody} (415, 413, 503, 400); too
 * many strings (413); an unknown thread (404); a key of another alert (422); the limit, no room or no database (503).
 * @param name of the thread, from the path or the query
 */
export async function answerAlert(
  request: IncomingMessage,
  options: AlertOptions & Reading,
  { name, query }: { name?: string | undefined; query: URLSearchParams },
): Promise<AlertAnswer> {
  if (!hasToken(request.headers.authorization, query, options.token))
    return { status: 401, detail: 'The token is missing or wrong.' };
  const alert = await readRequest(request, options, name);
  if ('status' in alert) return alert;
  try {
    const accepted = await options.accept(alert);
    if (accepted !== 'accepted') return { ...REFUSALS[accepted], thread: alert.thread };
  } catch (error) {
    options.onError(error);
    return { status: 503, detail: 'The alert could not be stored. Please send it again.' };
  }
  const { request: key, addresses } = alert;
  const lookups = addresses.map((mac) => ({ mac, id: digestOf(`${key} ${mac}`).slice(0, 22) }));
  return { status: 202, body: { lookups } };
}

async function readRequest(
  request: IncomingMessage,
  { readBody, pacer }: Reading,
  name: string | undefined,
): Promise<Refused | Alert> {
  const read = await readAlertBody(request, readBody, pacer);
  if (read.kind === 'refused')
    return { status: read.status, detail: `The body was refused: ${read.reason}.` };
  const found = await pacer(() => readAlert(read.value));
  if (found === undefined) return { status: 413, detail: 'The body was refused: too many strings.' };
  const { details, devices } = found;
  const { thread: inBody, Type, SubscribeURL }: Record<string, unknown> = Object(read.value);
  // In the body of another sender, a `thread` that is no text means something else.
  const thread = name ?? ((typeof inBody === 'string' && inBody) || undefined);
  const { incidentKey } = details;
  const given = String(request.headers['idempotency-key'] ?? '').trim();
  const asksToConfirm = Type === 'SubscriptionConfirmation' && SNS_LINK.test(String(SubscribeURL));
  const confirmation = asksToConfirm ? String(SubscribeURL) : undefined;
  // A thread in the address is part of the alert, as a thread in the body is.
  const digest = given ? digestOf(name === undefined ? read.text : `${read.text}\0${name}`) : undefined;
  return {
    request: confirmation ? `confirm ${confirmation}` : given || randomUUID(),
    digest: confirmation ? 'confirmation' : digest,
    addresses: devices.slice(0, MAX_ADDRESSES),
    leftOut: Math.max(0, devices.length - MAX_ADDRESSES),
    thread,
    details: { ...details, incidentKey: incidentKey && digestOf(incidentKey) },
    confirmation,
  };
}

/** Amazon SNS sends such a link before its first alert. Somebody must open it, so only Amazon's own links count. */
const SNS_LINK = /^https:\/\/sns\.[a-z\d-]+\.amazonaws\.com(?:\.cn)?\/[\w.~:/?&=%+-]{0,1900}$/;

const digestOf = (text: string) => hash('sha256', text, 'hex');

export const UNKNOWN_THREAD = {
  status: 404,
  detail: 'No thread has this name. To name a thread, type "alerts here as NAME" in it.',
} as const;
const REFUSALS: Readonly<Record<Exclude<Accepted, 'accepted'>, Refused>> = {
  'unknown thread': UNKNOWN_THREAD,
  'other alert': { status: 422, detail: 'This Idempotency-Key was used for another alert.' },
  'too many': { status: 503, detail: 'Too many addresses in one minute.', retryAfterS: 60 },
  full: { status: 503, detail: 'Too many alerts are waiting already.', retryAfterS: 60 },
};

/** Accepts a bearer token, Basic's password, or `?token=`. Compares digests, so the time depends on no part of the token. */
function hasToken(authorization = '', query: URLSearchParams, token: Secret): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(token.reveal());
  const bearer = /^Bearer +(.+)$/i.exec(authorization)?.[1];
  const basic = /^Basic +([\w+/=-]+) *$/i.exec(authorization)?.[1] ?? '';
  const password = /:(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8'))?.[1];
  const inQuery = query.get('token') ?? '';
  const given = [bearer, password, inQuery, inQuery.replaceAll(' ', '+')]; // A plus in an address reads as a blank.
  return given.filter((each) => timingSafeEqual(digest(each ?? ''), expected)).length > 0;
}

/** The most bytes of a body, packed and unpacked. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a request's unread body as JSON, as the fields of a form, or as plain text; and its own text, unpacked. Refuses, in
 * this order: neither JSON, a form nor text, another encoding than gzip, or an unknown charset (415); the refusals of
 * {@link ReadBody} over 1 MB (413, 503, 400); over 1 MB unpacked, or over 5,000 fields (413); empty, badly packed, not in its
 * charset, not JSON, or nested too deeply (400).
 */
async function readAlertBody(request: IncomingMessage, readBody: ReadBody, pacer: Pacer) {
  const { headers } = request;
  const type = mediaType(headers['content-type']) ?? '';
  const bodyKind = bodyKindOf(type);
  if (bodyKind === undefined) return refused(415, 'media type');
  const encoding = (headers['content-encoding'] ?? '').trim();
  if (!/^(?:|identity|(?:x-)?gzip)$/i.test(encoding)) return refused(415, 'content encoding');
  const decoder = decoderFor(charsetIn(headers['content-type']), { fatal: true });
  if (decoder === undefined) return refused(415, 'charset');
  const read = (packed: Buffer) => {
    const bytes = tryUnpack(packed, encoding);
    if (!Buffer.isBuffer(bytes)) return bytes;
    const text = decode(bytes, decoder);
    return text ? parse(text, bodyKind) : refused(400, text === '' ? 'empty' : 'not in its charset');
  };
  return readBody(request, MAX_BYTES, (packed) => pacer(() => read(packed)));
}

function bodyKindOf(type: string) {
  if (type === '') return 'json or text';
  if (type === 'application/json' || /^[\w.-]+\/[^\s/;]+\+json$/.test(type)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'urlencoded';
  return type === 'text/plain' ? 'text' : undefined;
}

function tryUnpack(packed: Buffer, encoding: string) {
  try {
    return unpack(packed, encoding, MAX_BYTES);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return refused(413, 'too large when unpacked');
    if (code?.startsWith('Z_')) return refused(400, 'not gzip');
    throw error;
  }
}

function parse(text: string, kind: NonNullable<ReturnType<typeof bodyKindOf>>) {
  // `curl -d` calls everything a form, and Amazon SNS a text.
  const json = kind.startsWith('json') || /^\s*[[{]/.test(text) ? parseShallow(text) : undefined;
  if (json !== undefined) return { kind: 'read' as const, value: json, text };
  if (kind === 'json') return refused(400, 'not JSON, or nested too deeply');
  // Counted before: URLSearchParams would take seconds for 500,000 names.
  if (kind === 'urlencoded' && text.split('&', 5001).length > 5000) return refused(413, 'too many fields');
  const pairs = [...new URLSearchParams(kind === 'urlencoded' ? text : '')];
  const isText = kind !== 'urlencoded' || (pairs.length === 1 && pairs[0]?.[1] === '');
  return { kind: 'read' as const, value: isText ? (pairs[0]?.[0] ?? text) : joinPairs(pairs), text };
}

/** Runs work that takes the processor, one piece at a time. */
export type Pacer = <Result>(work: () => Result) => Promise<Result>;

/**
 * Between two pieces, everything else has the processor for as long as the last one took.
 * @param steady a clock that is never set back (milliseconds)
 */
export function createPacer(steady: () => number): Pacer {
  let free: Promise<void> = Promise.resolve();
  return async (work) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = free;
    free = promise;
    await before;
    const begunAt = steady();
    try {
      return work();
    } finally {
      setTimeout(resolve, steady() - begunAt);
    }
  };
}
