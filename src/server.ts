import { isUtf8 } from 'node:buffer';
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Activity } from 'botbuilder';
import type { Logger } from 'pino';
import restify, { type Next, type Request, type Response, type Server } from 'restify';
import { z } from 'zod';
import type { Part } from './domain/part.ts';
import { parseShallow } from './domain/text.ts';
import { isLoopback, type ServiceGate } from './http.ts';
import { type AlertOptions, answerAlert, createPacer, UNKNOWN_THREAD } from './server/alert-request.ts';
import * as requests from './server/requests.ts';
import { type ReadBody, type Refusal, refused } from './server/requests.ts';

/**
 * Judges the `Authorization` header of a request, before its body is read: 401, or 503 without keys to judge it by. `findFault`
 * returns afterwards why the token is not good for an activity's claimed origin, which anyone can make up.
 */
type CheckToken = (
  authorization: string | undefined,
) => Promise<
  | { kind: 'verified'; findFault(claimed: { channelId: unknown; serviceUrl: unknown }): string | undefined }
  | Refusal
>;

type Answer = { status: number; body?: unknown };

export type ServerOptions = {
  /** Runs the turn of an activity. Returns the answer to its request; throws for a bug. */
  handleActivity(activity: Activity): Promise<Answer>;
  readiness(): { ready: boolean; parts: readonly Part[] };
  serviceGate: ServiceGate;
  /** Undefined: authentication is off. A `Host` that is not loopback is refused then (DNS rebinding: a browser page can send one). */
  checkToken: CheckToken | undefined;
  /** Undefined: the route for alerts does not exist. */
  alerts: AlertOptions | undefined;
  onRefused(route: string, status: number): void;
  /** A clock that is never set back (milliseconds). */
  steady(): number;
  log: Logger;
};

const ALERT_PATHS = ['/api/alerts', '/api/alerts/', '/api/alerts/:name', '/api/alerts/:name/'];

/** The bot's routes, not yet listening. Does not use restify's body parsers: they unpack before authentication. */
export function createServer(options: ServerOptions): HttpServer {
  const { readiness, alerts, checkToken, log } = options;
  const server = restify.createServer({ name: '', log: log.child({ part: 'server' }) });
  requests.boundConnections(server);
  server.on('error', () => {}); // Node's server has it, too, and restify's would throw it.
  const refuse = requests.createRefuser(log);

  // restify's own answers would repeat the path or an error's message.
  server.on('restifyError', (request: Request, response: Response, error: Thrown, done: Next) => {
    const { statusCode: status = 500 } = error;
    if (status >= 500) log.error({ err: error }, 'request failed');
    const path = `${request.method} ${request.url?.split('?', 1)[0]?.slice(0, 100)}`; // A query may hold a token.
    const isAlert = alerts && status === 404 && path.startsWith('POST /api/alerts/'); // A name that is none.
    const refusal = refused(status, `no such route: ${path}`);
    refuse(response, isAlert ? { ...UNKNOWN_THREAD, ...refusal } : refusal);
    done();
  });

  if (checkToken === undefined)
    server.pre((request, response, next) => {
      const host = request.headers.host ?? ''; // Host and port (RFC 9110, section 7.2).
      if (isLoopback(host.replace(/:\d*$/, ''))) return next();
      refuse(response, refused(403, 'host'));
      next(false);
    });

  servePosts(server, options);
  server.get('/healthz', async (_, response) => void response.send(200, { status: 'ok' }));
  server.get('/readyz', async (_, response) => {
    const { ready, parts } = readiness();
    const states = Object.fromEntries(parts.map(({ part, state }) => [part, state]));
    response.send(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', parts: states });
  });

  return server.server;
}

type Thrown = { statusCode?: number };

function servePosts(server: Server, options: ServerOptions): void {
  const { handleActivity, alerts, onRefused, steady, log } = options;
  function serve(route: string, paths: string[], answer: (request: Request) => Promise<Answer | Refusal>) {
    const refuse = requests.createRefuser(log); // A scanner's burst must hide no refused alert.
    const handle = async (request: Request, response: Response) => {
      const answered = await answer(request).catch((error: unknown): Answer => {
        log.error({ err: error }, 'request failed');
        return { status: 500 };
      });
      // `void`: restify logs a value that a handler returns, and the request's token with it.
      if (!('kind' in answered)) return void response.send(answered.status, answered.body);
      onRefused(route, answered.status);
      refuse(response, answered);
    };
    for (const path of paths) server.post(path, handle);
  }

  const reading = { ...options, readBody: requests.createBodyReader() };
  serve('messages', ['/api/messages'], async (request) => {
    const read = await readActivityRequest(request, reading);
    return read.kind === 'refused' ? read : handleActivity(read.activity);
  });

  if (!alerts) return;
  const paced = { ...alerts, readBody: requests.createBodyReader(), pacer: createPacer(steady) };
  serve('alerts', ALERT_PATHS, (request) => answerAlert(request, paced));
}

const MAX_BODY_BYTES = 256 * 1024;

type ActivityReading = Pick<ServerOptions, 'checkToken' | 'serviceGate'> & { readBody: ReadBody };

/**
 * Reads a Bot Framework activity. Refuses, in this order: another media type or any content encoding (415), over 256 KB as
 * declared (413), an invalid token, before the body is read (401; 503), the refusals of {@link ReadBody} over 256 KB (413, 503,
 * 400), not UTF-8, not JSON or nested too deeply (400), a token that is not good for the activity (401), a missing required
 * field (400), a service address that replies may not go to (403).
 */
export async function readActivityRequest(request: IncomingMessage, options: ActivityReading) {
  const { headers } = request;
  if (requests.mediaType(headers['content-type']) !== 'application/json') return refused(415, 'media type');
  if (headers['content-encoding'] !== undefined) return refused(415, 'content encoding');
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) return refused(413, 'too large');
  const verdict = await options.checkToken?.(headers.authorization);
  if (verdict?.kind === 'refused') return verdict;
  const text = await options.readBody(request, MAX_BODY_BYTES, readUtf8);
  if (typeof text !== 'string') return text;
  const body = parseShallow(text);
  if (body === undefined) return refused(400, 'not JSON, or nested too deeply');
  const claimFault = verdict?.findFault(Object(body));
  if (claimFault !== undefined) return refused(401, claimFault);
  const { data, error } = activitySchema.safeParse(body);
  if (error) return refused(400, `field ${error.issues[0]?.path.join('.') || 'missing'}`);
  if (options.serviceGate(data.serviceUrl) === undefined) return refused(403, 'service address');
  return { kind: 'activity' as const, activity: data as Activity & typeof data };
}

const readUtf8 = (bytes: Buffer) => (isUtf8(bytes) ? bytes.toString() : refused(400, 'not UTF-8'));

/** An id, a locale or an address: at most 1,000 characters that a database keeps (no NUL, no half surrogate). */
const short = z.string().regex(/^[^\p{Cs}\0]{0,1000}$/u);
const needed = short.regex(/\S/);
const optionalShort = short.optional().catch(undefined);
const optionalText = z.string().optional().catch(undefined);
const account = z.looseObject({
  id: short,
  name: optionalText,
  aadObjectId: optionalShort,
  tenantId: optionalShort,
});
/** Kept without an id too, because its flag says that the message is private. */
const recipient = z.looseObject({ id: optionalShort });
const mentioned = z.looseObject({ id: z.string() });
const entity = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('mention'), text: z.string(), mentioned }),
  z.looseObject({ type: z.literal('quotedReply'), quotedReply: z.looseObject({ preview: z.string() }) }),
]);

/** The five required fields, and the optional fields that the bot reads. An optional field of another form counts as missing. */
const activitySchema = z.looseObject({
  type: needed,
  id: needed,
  channelId: needed,
  serviceUrl: needed,
  conversation: z.looseObject({ id: needed, conversationType: optionalShort, tenantId: optionalShort }),
  text: optionalText,
  locale: optionalShort,
  localTimezone: optionalShort,
  replyToId: optionalShort,
  timestamp: optionalText,
  from: account.optional().catch(undefined),
  recipient: recipient.optional().catch(undefined),
  entities: listOf(entity),
  attachments: listOf(z.looseObject({ contentType: z.string() })),
  membersAdded: listOf(account),
});

/**
 * A list of the items that fit the schema. Uses `overwrite`, because zod makes a function for each `transform`. V8 keeps
 * functions that are set on an object, with all that they close over, until a full collection.
 */
function listOf<T>(item: z.ZodType<T>) {
  const keep = (list: unknown) =>
    Array.isArray(list) ? list.flatMap((each) => item.safeParse(each).data ?? []) : [];
  return z.custom<T[]>().optional().overwrite(keep);
}
