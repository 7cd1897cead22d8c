import type { AlertDetails } from '../../../src/domain/alert.ts';

/** A sender's body in the shape that it was recorded in, with values of our own; which addresses and which words it holds. */
type Recorded = { sender: string; body: unknown; macs: readonly string[]; details: AlertDetails };

const PORT = { alertname: 'PortDown' };
const alert = (status: string, mac: string, startsAt: string) => ({
  status,
  labels: { ...PORT, instance: 'sw-floor2-17:9116', ifName: 'Gi1/0/15', mac, severity: 'critical' },
  annotations: { summary: `Port Gi1/0/15 is down, last seen ${mac}`, description: 'The port lost its link.' },
  startsAt,
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example/graph?g0.expr=ifOperStatus+%3D%3D+2&g0.tab=1',
  fingerprint: 'c6b4e5d2a1f09b8e',
});

const alertmanager = {
  version: '4',
  groupKey: '{}/{severity="critical"}:{alertname="PortDown"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'nac-lookup-bot',
  groupLabels: { alertname: 'PortDown' },
  commonLabels: { alertname: 'PortDown', severity: 'critical' },
  commonAnnotations: { description: 'The port lost its link.' },
  externalURL: 'http://alertmanager:9093',
  alerts: [
    alert('firing', '00:1b:54:00:00:03', '2026-01-15T14:01:30.5Z'),
    alert('firing', '001b.5400.0099', '2026-01-15T14:00:00Z'),
  ],
};

export const ALERTMANAGER: Recorded = {
  sender: 'Alertmanager',
  body: alertmanager,
  macs: ['00:1B:54:00:00:03', '00:1B:54:00:00:99'],
  details: {
    title: 'Port Gi1/0/15 is down, last seen 00:1b:54:00:00:03',
    source: 'Alertmanager',
    severity: 'critical',
    startsAt: Date.parse('2026-01-15T14:00:00Z'),
    incidentKey: '{}/{severity="critical"}:{alertname="PortDown"}',
    state: 'firing',
    link: 'https://prometheus.example/graph?g0.expr=ifOperStatus+%3D%3D+2&g0.tab=1',
  },
};

export const RECORDED: readonly Recorded[] = [
  ALERTMANAGER,
  {
    sender: 'Grafana',
    body: {
      ...alertmanager,
      version: '1',
      status: 'resolved',
      orgId: 1,
      externalURL: 'https://grafana.example/',
      alerts: [
        {
          ...alert('resolved', '00:1B:54:00:00:02', '2026-01-15T14:00:00Z'),
          generatorURL: 'http://grafana:3000/alerting/grafana/b5f3d2a1/view',
          silenceURL: 'https://grafana.example/alerting/silence/new?matcher=alertname%3DPortDown',
          values: { B: 44.2, C: 0 },
        },
      ],
      title: '[RESOLVED] PortDown (critical)',
      state: 'ok',
      message: '**Resolved**\n\nValue: B=44.2',
    },
    macs: ['00:1B:54:00:00:02'],
    details: {
      ...ALERTMANAGER.details,
      title: '[RESOLVED] PortDown (critical)',
      source: 'Grafana',
      state: 'resolved',
      link: 'https://grafana.example/',
    },
  },
  {
    sender: 'PagerDuty',
    body: {
      event: {
        id: '01BZ3KQ1KHQ4DQ8FQ5TZ4D9C4X',
        event_type: 'incident.triggered',
        resource_type: 'incident',
        occurred_at: '2026-01-15T14:00:00.465Z',
        agent: null,
        client: null,
        data: {
          id: 'PGR0VU2',
          type: 'incident',
          self: 'https://api.pagerduty.example/incidents/PGR0VU2',
          html_url: 'https://acme.pagerduty.example/incidents/PGR0VU2',
          number: 2,
          status: 'triggered',
          incident_key: 'd3640fbd41094207a1c11e58e46b1662',
          created_at: '2026-01-15T13:59:00Z',
          title: 'AP down: 00-1B-54-00-00-02',
          service: { id: 'PF9KMXH', summary: 'Campus Wi-Fi', type: 'service_reference' },
          urgency: 'high',
          priority: { id: 'PSO75BM', summary: 'P1', type: 'priority_reference' },
        },
      },
    },
    macs: ['00:1B:54:00:00:02'],
    details: {
      title: 'AP down: 00-1B-54-00-00-02',
      source: 'PagerDuty, Campus Wi-Fi',
      severity: 'P1',
      startsAt: Date.parse('2026-01-15T13:59:00Z'),
      incidentKey: 'PGR0VU2',
      state: 'firing',
      link: 'https://acme.pagerduty.example/incidents/PGR0VU2',
    },
  },
];
