import { hash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { type Accepted, type Alert, confirmationSchema } from '../../dialogs/alerts/accept-alert.ts';
import { MAX_ADDRESSES } from '../../dialogs/dialog.ts';
import { readAlert } from '../alerts/alert.ts';
import type { Secret } from '../domain/secret.ts';
import { readAlertBody } from './alert-body.ts';
import type { Pacer } from './pacer.ts';
import type { ReadBody } from './request-body.ts';

type Status = 400 | 401 | 404 | 413 | 415 | 422 | 503;
type Refused = { status: Status; detail: string; retryAfterS?: number; thread?: string | undefined };
export type AlertAnswer = { status: 202; body: { lookups: Array<{ mac: string; id: string }> } } | Refused;

export type AlertOptions = {
  token: Secret;
  accept(alert: Alert): Promise<Accepted>;
  onError(error: unknown): void;
};
type Reading = { readBody: ReadBody; pacer: Pacer };
/** `name`: of the thread, in the path or the query. */
type Address = { name?: string | undefined; query: URLSearchParams };

/**
 * Reads an alert and stores it. Answers 202 only when the alert's first 20 devices are in the database. Refuses, in this
 * order: no token or a wrong one, before the body is read (401); what {@link readAlertBody} refuses (415, 413, 503, 400); too
 * many strings (413); an unknown thread (404); a key of another alert (422); the limit, no room or no database (503).
 */
export async function answerAlert(
  request: IncomingMessage,
  options: AlertOptions & Reading,
  address: Address,
): Promise<AlertAnswer> {
  if (!hasToken(request.headers.authorization, address.query, options.token))
    return { status: 401, detail: 'The token is missing or wrong.' };
  const alert = await readRequest(request, options, address.name);
  if ('status' in alert) return alert;
  try {
    const accepted = await options.accept(alert);
    if (accepted !== 'accepted') return { ...REFUSALS[accepted], thread: alert.thread };
  } catch (error) {
    options.onError(error);
    return { status: 503, detail: 'The alert could not be stored. Please send it again.' };
  }
  const idOf = (mac: string) => hash('sha256', `${alert.request} ${mac}`, 'base64url').slice(0, 22);
  const lookups = alert.addresses.map((mac) => ({ mac, id: idOf(mac) }));
  return { status: 202, body: { lookups } };
}

/**
 * The thread in the body of any sender; null and the empty text name none. A `thread` of another form means something else,
 * unless the body is the own form.
 */
const threadSchema = z.object({ thread: z.string().nullish() });
const ownFormSchema = z.object({ text: z.string(), thread: z.unknown() });

async function readRequest(
  request: IncomingMessage,
  { readBody, pacer }: Reading,
  name: string | undefined,
): Promise<Refused | Alert> {
  const read = await readAlertBody(request, readBody, pacer);
  if (read.kind === 'refused')
    return { status: read.status, detail: `The body was refused: ${read.reason}.` };
  const named = threadSchema.safeParse(read.value);
  if (name === undefined && !named.success && ownFormSchema.safeParse(read.value).success)
    return { status: 400, detail: 'In {"text", "thread"}, thread must be a name.' };
  const found = await pacer(() => readAlert(read.value));
  if (found === undefined) return { status: 413, detail: 'The body was refused: too many strings.' };
  const { details, devices } = found;
  const thread = name ?? (named.data?.thread || undefined);
  const { incidentKey } = details;
  const given = String(request.headers['idempotency-key'] ?? '').trim();
  const confirmation = confirmationSchema.safeParse(read.value).data;
  // A thread in the address is part of the alert, as a thread in the body is.
  const digest = given ? digestOf(name === undefined ? read.text : `${read.text}\0${name}`) : undefined;
  return {
    request: confirmation ? `confirm ${confirmation.SubscribeURL}` : given || randomUUID(),
    digest: confirmation ? 'confirmation' : digest,
    addresses: devices.slice(0, MAX_ADDRESSES),
    leftOut: Math.max(0, devices.length - MAX_ADDRESSES),
    thread,
    details: { ...details, incidentKey: incidentKey && digestOf(incidentKey) },
    confirmation,
  };
}

const digestOf = (text: string) => hash('sha256', text, 'hex');

const NO_THREAD = 'No thread has this name. To name a thread, type "alerts here as NAME" in it.';
const REFUSALS: Readonly<Record<Exclude<Accepted, 'accepted'>, Refused>> = {
  'unknown thread': { status: 404, detail: NO_THREAD },
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
  const given = [bearer, password, query.get('token')].filter((each) => typeof each === 'string');
  return given.filter((each) => timingSafeEqual(digest(each), expected)).length > 0;
}
