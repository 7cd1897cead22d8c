import type { Activity, InvokeResponse } from 'botbuilder';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { TIMING } from '../../src/domain/timing.ts';
import { createServiceGate } from '../../src/http.ts';
import { createChat as createChatService } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { Adapter, type Connector, createConnector } from '../../src/teams/adapter.ts';
import { createChat, createHandler, type HandlerOptions } from '../../src/teams.ts';
import { openUpstream } from '../serve.ts';

export function activityOf(changes: object): Activity {
  return {
    type: 'message',
    id: 'message-1',
    channelId: 'msteams',
    serviceUrl: 'https://smba.trafficmanager.net/emea/',
    conversation: { id: 'chat' },
    from: { id: '29:megan', aadObjectId: 'megan' },
    recipient: { id: 'bot' },
    ...changes,
  } as Activity;
}

type ChatOptions = Parameters<typeof createChat>[0];

/** The way to people through a connector, while the database is away. */
export function openChat(connector: Pick<Connector, 'send' | 'update'>, options: Partial<ChatOptions> = {}) {
  const queue = { put: () => Promise.reject(AWAY) };
  const isAway = (error: unknown) => error === AWAY;
  const log = pino({ level: 'silent' });
  const all = { connector, queue, now: Date.now, timing: TIMING, isAway, logFault: () => {}, log };
  return createChat({ ...all, ...options });
}

/** A chat service on loopback, closed when the test ends, and the way to its people; `log` has the lines of the log. */
export async function openService(options: Partial<ChatOptions> = {}) {
  const service = createChatService();
  const { url, close } = await listen(service.server);
  onTestFinished(close);
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  const serviceGate = createServiceGate({ names: [], loopback: true });
  const connector = createConnector({
    channel: openUpstream(),
    serviceGate,
    tokens: undefined,
    onOutcome() {},
    log,
  });
  return { service: { ...service, url }, log: lines, ...openChat(connector, { log, ...options }) };
}

export const AWAY = new Error('the database is not open');

/** Runs a turn that arrived at 0, with these tasks alone; any other task, and any reply, is an error. */
export function handle(
  activity: Activity,
  options: Partial<HandlerOptions>,
): Promise<InvokeResponse | undefined> {
  const unwanted = () => Promise.reject(new Error('unwanted'));
  const run = createHandler({
    onMessage: unwanted,
    onExtension: unwanted,
    welcomes: { add: unwanted, remove: unwanted },
    permissions: { allow: async () => true },
    limits: { takeMessage: () => 0 },
    replies: { say: unwanted },
    ...options,
  });
  return new Adapter({ send: unwanted, update: unwanted }, Date.now).run(activity, 0, run);
}
