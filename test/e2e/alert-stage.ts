import { expect } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import bodies from '../domain/alert-bodies.json' with { type: 'json' };
import type { Stage } from '../stage.ts';
import { inThread } from './cards.ts';

export const ALERTS_TOKEN = 'token-for-alerts';
export const CHANNEL = '19:noc@thread.tacv2;messageid=99';

/** Names the channel `noc` for alerts, and forgets the replies. */
export async function nameChannel(stage: Pick<Stage, 'say' | 'replies'>, name = 'noc'): Promise<void> {
  await stage.say(`alerts here as ${name}`, inThread(CHANNEL));
  stage.replies.splice(0);
}

/** Sends an alert as a monitoring system does; a text goes as it stands. */
export async function sendAlert(
  bot: { url: string },
  body: unknown,
  { path = '/api/alerts/noc', headers }: { path?: string; headers?: Record<string, string> } = {},
) {
  const response = await fetch(`${bot.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ALERTS_TOKEN}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: Object(await response.json()) };
}

/** A group of Alertmanager's alerts in the recorded shape. */
export function alertmanager(status: string, macs: readonly string[], changes: object = {}): object {
  const { summary = 'Port Gi1/0/15 is down', startsAt = '2026-01-15T14:00:00Z', ...more } = Object(changes);
  const body = Object(bodies.find(({ sender }) => sender === 'Alertmanager')?.body);
  const [alert] = body.alerts;
  const alerts = macs.map((mac) => ({
    ...alert,
    status,
    labels: { ...alert.labels, mac },
    annotations: { ...alert.annotations, summary },
    startsAt,
    ...(status === 'resolved' && { endsAt: '2026-01-15T14:30:00Z' }),
  }));
  return { ...body, ...more, status, alerts };
}

export async function sendGroup(
  bot: { url: string },
  ...group: Parameters<typeof alertmanager>
): Promise<void> {
  expect((await sendAlert(bot, alertmanager(...group))).status).toBe(202);
}

export function saidIn({ replies }: Pick<Stage, 'replies'>): string[] {
  return replies.map((each) => `${each.method} ${textOf(each)}`);
}
