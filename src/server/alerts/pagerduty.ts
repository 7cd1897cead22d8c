import { z } from 'zod';
import type { AlertDetails } from '../../../dialogs/answers/alert-details.ts';
import { toDetails } from './details.ts';

const anything = z.unknown().optional();
const summarised = z.looseObject({ summary: z.string() }).optional().catch(undefined);

/** PagerDuty's webhook, version 3. */
const schema = z.looseObject({
  event: z.looseObject({
    event_type: z.string(),
    occurred_at: anything,
    data: z.looseObject({
      id: z.string(),
      title: anything,
      status: anything,
      urgency: anything,
      created_at: anything,
      html_url: anything,
      service: summarised,
      priority: summarised,
    }),
  }),
});

export function readPagerDuty(body: unknown): AlertDetails | undefined {
  const event = schema.safeParse(body).data?.event;
  if (event === undefined) return undefined;
  const { id, title, status, urgency, created_at, html_url, service, priority } = event.data;
  return toDetails({
    title,
    source: service ? `PagerDuty, ${service.summary}` : 'PagerDuty',
    severity: priority?.summary ?? urgency,
    startsAt: created_at ?? event.occurred_at,
    incidentKey: id,
    state: stateOf(status),
    link: html_url,
  });
}

function stateOf(status: unknown): AlertDetails['state'] {
  if (status === 'resolved') return 'resolved';
  return status === 'triggered' || status === 'acknowledged' ? 'firing' : 'unknown';
}
