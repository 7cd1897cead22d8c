import { type Server as HttpServer, STATUS_CODES } from 'node:http';
import type { Activity } from 'botbuilder';
import type { Logger } from 'pino';
import restify, { type Next, type Request, type Response, type Server } from 'restify';
import type { Part } from './domain/part.ts';
import { isLoopback, type ServiceGate } from './http.ts';
import { type CheckToken, readActivityRequest } from './server/activity-request.ts';
import {
  type AlertOptions,
  answerAlert,
  createPacer,
  type Problem,
  UNKNOWN_THREAD,
} from './server/alert-request.ts';
import { createRefusalLog, type LogRefusal } from './server/refusals.ts';
import { boundConnections, createBodyReader, endUnread, type ReadBody } from './server/request-body.ts';

export type ServerOptions = {
  /** Runs the turn of an activity. Returns the answer to its request; throws for a bug. */
  handleActivity(activity: Activity): Promise<{ status: number; body?: unknown }>;
  readiness(): { ready: boolean; parts: readonly Part[] };
  serviceGate: ServiceGate;
  /** Undefined: authentication is off. */
  checkToken: CheckToken | undefined;
  /** Undefined: the route for alerts does not exist. */
  alerts: AlertOptions | undefined;
  onRefused(route: string, status: number): void;
  /** Refuse requests whose `Host` is not loopback (DNS rebinding: a browser page can send them). */
  loopbackOnly: boolean;
  /** A clock that is never set back (milliseconds). */
  steady(): number;
  log: Logger;
};

/** For each route, because slow alerts must not keep messages out. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;
/** After a 503 that says nothing else. */
const RETRY_AFTER_S = 10;
const ALERT_PATHS = ['/api/alerts', '/api/alerts/', '/api/alerts/:name', '/api/alerts/:name/'];

/** The bot's routes, not yet listening. Does not use restify's body parsers: they unpack before authentication. */
export function createServer(options: ServerOptions): HttpServer {
  const { readiness, alerts, loopbackOnly, log } = options;
  const server = restify.createServer({ name: '', log: log.child({ part: 'server' }) });
  boundConnections(server);
  server.on('error', () => {}); // Node's server has it, too, and restify's would throw it.
  const [logRefusal, logUnknown] = [createRefusalLog(log), createRefusalLog(log)];

  // restify's own answers would repeat the path or an error's message.
  server.on('restifyError', (request: Request, response: Response, error: Thrown, done: Next) => {
    const { statusCode: status = 500 } = error;
    if (status >= 500) log.error({ err: error }, 'request failed');
    else logUnknown(request, { status, reason: `no such route: ${pathOf(request)}` });
    const isAlert = alerts && status === 404 && pathOf(request).startsWith('POST /api/alerts/'); // A name that is none.
    refuse(response, status, isAlert ? UNKNOWN_THREAD : undefined);
    done();
  });

  if (loopbackOnly) refuseOtherHosts(server, logRefusal);
  const route = { ...options, logRefusal, readBody: createBodyReader(MAX_HELD_BYTES) };
  server.post('/api/messages', messageHandler(route));

  if (alerts) serveAlerts(server, alerts, { ...options, logRefusal: createRefusalLog(log) });
  server.get('/healthz', async (_, response) => void response.send(200, { status: 'ok' }));

  server.get('/readyz', async (_, response) => {
    const { ready, parts } = readiness();
    const states = Object.fromEntries(parts.map(({ part, state }) => [part, state]));
    response.send(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', parts: states });
  });

  return server.server;
}

type Thrown = { statusCode?: number };

/** Without the query, which may hold a token. */
const pathOf = ({ method, url = '' }: Request) => `${method} ${url.split('?', 1)[0]?.slice(0, 100)}`;

function refuseOtherHosts(server: Server, logRefusal: LogRefusal): void {
  server.pre((request, response, next) => {
    const host = request.headers.host ?? ''; // Host and port (RFC 9110, section 7.2).
    if (isLoopback(host.replace(/:\d*$/, ''))) return next();
    refuse(response, 403);
    logRefusal(request, { status: 403, reason: 'host' });
    next(false);
  });
}

type Route = ServerOptions & { logRefusal: LogRefusal };

function serveAlerts(server: Server, alerts: AlertOptions, { steady, logRefusal, onRefused }: Route): void {
  const paced = { ...alerts, readBody: createBodyReader(MAX_HELD_BYTES), pacer: createPacer(steady) };
  const take = async (request: Request, response: Response) => {
    const query = new URLSearchParams(request.url?.replace(/^[^?]*/, ''));
    const name = request.params.name || query.get('thread') || undefined;
    const answer = await answerAlert(request, paced, { name, query });
    if ('lookups' in answer) return void response.send(202, answer);
    const { status, detail: reason, thread: alert = name } = answer;
    logRefusal(request, { status, reason, alert });
    onRefused('alerts', status);
    refuse(response, status, answer);
  };
  for (const path of ALERT_PATHS) server.post(path, take);
}

function messageHandler(options: Route & { readBody: ReadBody }) {
  const { handleActivity, onRefused, logRefusal, log } = options;
  return async (request: Request, response: Response): Promise<void> => {
    const read = await readActivityRequest(request, options);
    if (read.kind === 'refused') {
      const { status, reason } = read;
      logRefusal(request, { status, reason });
      onRefused('messages', status);
      return refuse(response, status);
    }
    try {
      const { status, body } = await handleActivity(read.activity);
      response.send(status, body);
    } catch (error) {
      log.error({ err: error }, 'turn not acknowledged');
      response.send(500);
    }
  };
}

/** @param problem the body for an alert's sender (RFC 9457) */
function refuse(response: Response, status: number, problem?: Problem): void {
  const { detail, retryAfterS = RETRY_AFTER_S } = problem ?? {};
  const title = STATUS_CODES[status];
  if (status === 503) response.setHeader('Retry-After', String(retryAfterS));
  if (status === 401)
    response.setHeader('WWW-Authenticate', `Bearer${problem ? ', Basic realm="alerts"' : ''}`);
  endUnread(response);
  if (!problem) return void response.send(status, { error: title });
  response.setHeader('Content-Type', 'application/problem+json');
  response.sendRaw(status, JSON.stringify({ type: 'about:blank', title, status, detail }));
}
