import bodies from '../alerts/senders.json' with { type: 'json' };
import { inThread } from '../replies.ts';
import type { Bot } from '../start-bot.ts';

export const CHANNEL = '19:noc@thread.tacv2;messageid=99';
export const NOC = { thread: 'noc' };

/** Names the channel for alerts, and forgets the reply. */
export async function nameChannel({ say, replies }: Pick<Bot, 'say' | 'replies'>, name = 'noc') {
  await say(`alerts here as ${name}`, inThread(CHANNEL));
  replies.splice(0);
}

/** A group of Alertmanager's alerts in the recorded shape. */
export function alertmanager(status: string, macs: readonly string[], changes: object = {}): object {
  const { summary = 'Port Gi1/0/15 is down', startsAt = '2026-01-15T14:00:00Z', ...more } = Object(changes);
  const body = Object(bodies.find(({ id }) => id === 'Alertmanager')?.fire);
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
