import { Agent, type ClientRequest, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Activity, InvokeResponse } from 'botbuilder';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/app/start.ts';
import { createServiceGate } from '../../src/http.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { createServer, type ServerOptions } from '../../src/server.ts';

export const ACTIVITY = {
  type: 'message',
  id: 'activity-1',
  channelId: 'msteams',
  serviceUrl: 'https://smba.trafficmanager.net/emea/',
  conversation: { id: 'conversation-1' },
};

export type Answered = { status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: string };

type Ask = {
  method?: string;
  path?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** Writes any bytes, and need not end the request. */
  write?(outgoing: ClientRequest): void;
};

export type BotServer = Awaited<ReturnType<typeof openBotServer>>;

type Wishes = Partial<ServerOptions> & { answer?(): Promise<InvokeResponse> };

/** The bot's routes on loopback, with a bot that only records; closed when the test ends. */
export async function openBotServer({ answer = async () => ({ status: 200 }), ...options }: Wishes = {}) {
  const log: Record<string, unknown>[] = [];
  const activities: Activity[] = [];
  const server = createServer({
    bot(activity) {
      activities.push(activity);
      return answer();
    },
    ready: () => ({ ready: true, parts: [] }),
    alerts: undefined,
    checkToken: undefined,
    serviceGate: createServiceGate({ names: ['*.trafficmanager.net'], loopback: false }),
    onRefused() {},
    loopbackOnly: false,
    steady: systemClock.steady,
    log: pino({ level: 'trace' }, { write: (line) => log.push(JSON.parse(line)) }),
    ...options,
  });
  const { url, close } = await listen(server.server);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(async () => {
    agent.destroy();
    await close();
  });

  function ask({ method = 'GET', path = '/', headers = {}, body, write }: Ask): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, path, headers, agent }, async (response) => {
        resolve({ status: response.statusCode, headers: response.headers, body: await text(response) });
      });
      outgoing.on('error', reject);
      if (write) write(outgoing);
      else outgoing.end(body);
    });
  }

  return {
    url,
    activities,
    log,
    ask,
    post(value: unknown, more: OutgoingHttpHeaders = {}) {
      const body = typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value);
      const headers = { 'content-type': 'application/json', ...more };
      return ask({ method: 'POST', path: '/api/messages', headers, body });
    },
  };
}
