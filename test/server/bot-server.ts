import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { text } from 'node:stream/consumers';
import type { Activity, InvokeResponse } from 'botbuilder';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/app/start.ts';
import { createServiceGate } from '../../src/http.ts';
import { createServer, type ServerOptions } from '../../src/server.ts';
import { serve } from '../serve.ts';

export const ACTIVITY = {
  type: 'message',
  id: 'activity-1',
  channelId: 'msteams',
  serviceUrl: 'https://smba.trafficmanager.net/emea/',
  conversation: { id: 'conversation-1' },
};

/** A request. `write` sends any bytes, and need not end the request. */
export type Ask = {
  method?: string;
  path?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  write?(outgoing: ClientRequest): void;
};

export type BotServer = Awaited<ReturnType<typeof openBotServer>>;

type Options = Partial<ServerOptions> & { answer?(): Promise<InvokeResponse> };

/** Opens the bot's routes on loopback, with a bot that only records; closes them when the test ends. */
export async function openBotServer({ answer = async () => ({ status: 200 }), ...options }: Options = {}) {
  const log: Record<string, unknown>[] = [];
  const activities: Activity[] = [];
  const server = createServer({
    handleActivity(activity) {
      activities.push(activity);
      return answer();
    },
    readiness: () => ({ ready: true, parts: [] }),
    alerts: undefined,
    checkToken: undefined,
    serviceGate: createServiceGate({ names: ['*.trafficmanager.net'], loopback: false }),
    onRefused() {},
    steady: systemClock.steady,
    log: pino({ level: 'trace' }, { write: (line) => log.push(JSON.parse(line)) }),
    ...options,
  });
  const url = await serve(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());

  async function ask({ method = 'GET', path = '/', headers = {}, body, write }: Ask) {
    const outgoing = request(url, { method, path, headers, agent });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    outgoing.on('error', reject).on('response', resolve);
    if (write) write(outgoing);
    else outgoing.end(body);
    const response = await promise;
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  function post(value: unknown, more: OutgoingHttpHeaders = {}) {
    const body = typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value);
    const headers = { 'content-type': 'application/json', ...more };
    return ask({ method: 'POST', path: '/api/messages', headers, body });
  }

  return { url, activities, log, ask, post };
}
