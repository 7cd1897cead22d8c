import type { Activity, InvokeResponse } from 'botbuilder';
import { type Logger, pino } from 'pino';
import { TIMING } from '../../src/domain/timing.ts';
import { Adapter, type Connector } from '../../src/teams/adapter.ts';
import { createChat, createHandler, type HandlerOptions } from '../../src/teams.ts';

/** A message from Teams with these changes. */
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

/** The way to people through a connector, while the database is away. */
export function openChat(connector: Connector, log: Logger = pino({ level: 'silent' })) {
  const queue = { put: () => Promise.reject(AWAY) };
  const isAway = (error: unknown) => error === AWAY;
  return createChat({ connector, queue, now: Date.now, timing: TIMING, isAway, logFault: () => {}, log });
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
    welcomes: { claim: unwanted, forget: unwanted },
    permissions: { allow: () => true },
    limits: { takeMessage: () => 0 },
    replies: { say: unwanted },
    ...options,
  });
  return new Adapter({ send: unwanted, update: unwanted }, Date.now).run(activity, 0, run);
}
