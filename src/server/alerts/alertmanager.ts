import { z } from 'zod';
import type { AlertDetails } from '../../../dialogs/answers/alert-details.ts';
import { toDetails } from './details.ts';

const anything = z.unknown().optional();
const texts = z.record(z.string(), z.unknown()).catch({});

/** Prometheus Alertmanager's webhook, version 4. Grafana's alerting sends the same, and a title. */
const schema = z.looseObject({
  groupKey: z.string(),
  status: z.string(),
  title: anything,
  externalURL: anything,
  commonLabels: texts,
  commonAnnotations: texts,
  alerts: z.array(
    z.looseObject({
      status: anything,
      labels: texts,
      annotations: texts,
      startsAt: anything,
      generatorURL: anything,
    }),
  ),
});

/** Reads a group of alerts as one incident: its words from what all have in common, else from the first alert. */
export function readAlertmanager(body: unknown): AlertDetails | undefined {
  const group = schema.safeParse(body).data;
  if (group === undefined) return undefined;
  const { groupKey, status, title, alerts } = group;
  const told = alerts.find((each) => each.status === status) ?? alerts[0];
  const labels = { ...told?.labels, ...group.commonLabels };
  const annotations = { ...told?.annotations, ...group.commonAnnotations };
  const begins = alerts.map(({ startsAt }) => startsAt).filter((each) => typeof each === 'string');
  return toDetails({
    title: title ?? annotations.summary ?? labels.alertname ?? annotations.description,
    source: title === undefined ? 'Alertmanager' : 'Grafana',
    severity: labels.severity,
    startsAt: begins.toSorted()[0],
    incidentKey: groupKey,
    state: status === 'firing' || status === 'resolved' ? status : 'unknown',
    link: [told?.generatorURL, group.externalURL],
  });
}
