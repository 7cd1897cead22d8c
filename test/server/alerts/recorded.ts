import type { AlertDetails } from '../../../dialogs/answers/alert-details.ts';

/** A sender's body in the shape that it was recorded in, with values of our own; which addresses and which words it holds. */
export type Recorded = {
  sender: string;
  type: string;
  body: unknown;
  macs: readonly string[];
  details: AlertDetails;
};

const JSON_TYPE = 'application/json';
const alert = (status: string, mac: string, startsAt: string) => ({
  status,
  labels: {
    alertname: 'PortDown',
    instance: 'sw-floor2-17:9116',
    ifName: 'Gi1/0/15',
    mac,
    severity: 'critical',
  },
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
  type: JSON_TYPE,
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
    type: JSON_TYPE,
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
    type: JSON_TYPE,
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
  {
    sender: 'Opsgenie',
    type: JSON_TYPE,
    body: {
      action: 'Create',
      alert: {
        alertId: '052652ac-5d1c-464a-812a-7dd18bbfba8c-1768485600000',
        message: 'Rogue device 001b54-000003 on floor 2',
        tags: ['nac'],
        tinyId: '23',
        entity: 'sw-floor2-17',
        createdAt: 1768485600000,
        username: 'alex@example.com',
        priority: 'P2',
      },
      source: { name: 'web', type: 'API' },
      integrationName: 'Webhook',
      integrationId: '37c8f316-17c6-49d7-899b-9c7e540c048d',
    },
    macs: ['00:1B:54:00:00:03'],
    details: { title: 'Rogue device 001b54-000003 on floor 2', state: 'unknown' },
  },
  {
    sender: 'Splunk',
    type: JSON_TYPE,
    body: {
      sid: 'scheduler__admin__search__RMD5_at_1768485600_132',
      search_name: 'NAC rejects',
      app: 'search',
      owner: 'admin',
      results_link: 'http://splunk:8000/app/search/@go?sid=scheduler__admin__search__RMD5_at_1768485600_132',
      result: {
        sourcetype: 'cisco:ise:syslog',
        count: '8',
        _raw: 'Jan 15 14:00:00 ise1 CISE_Failed_Attempts Calling-Station-ID=00-1B-54-00-00-03, FailureReason=22056',
      },
    },
    macs: ['00:1B:54:00:00:03'],
    details: {
      title:
        'Jan 15 14:00:00 ise1 CISE_Failed_Attempts Calling-Station-ID=00-1B-54-00-00-03, FailureReason=22056',
      state: 'unknown',
    },
  },
  {
    sender: 'Zabbix',
    type: JSON_TYPE,
    body: {
      URL: 'https://zabbix.example',
      HTTPProxy: '',
      To: 'noc',
      Subject: 'Problem: Interface Gi1/0/15: Link down',
      Message:
        'Problem started at 14:00:00 on 2026.01.15\r\nHost: sw-floor2-17\r\nLast MAC: 001B.5400.0002\r\n',
    },
    macs: ['00:1B:54:00:00:02'],
    details: { title: 'Problem: Interface Gi1/0/15: Link down', state: 'unknown' },
  },
  {
    sender: 'Catalyst Center',
    type: JSON_TYPE,
    body: {
      version: '1.0.0',
      instanceId: 'ea6e28c5-b7f2-43a4-9937-def73771c5ef',
      eventId: 'NETWORK-CLIENTS-3-251',
      namespace: 'ASSURANCE',
      name: '',
      description: '',
      type: 'NETWORK',
      category: 'ALERT',
      domain: 'Connectivity',
      severity: 1,
      source: 'ndp',
      timestamp: 1768485600000,
      details: {
        Type: 'Client',
        'Assurance Issue Details': 'Client 00:1B:54:00:00:03 fails to authenticate on SSID corp',
        'Assurance Issue Status': 'active',
        description: 'Client fails to authenticate',
      },
      ciscoDnaEventLink: 'https://dnac.example/dna/assurance/issueDetails?issueId=1',
      tenantId: '5f1d9c1e52b54b7c9d0e8f5b',
    },
    macs: ['00:1B:54:00:00:03'],
    details: { title: 'Client fails to authenticate', state: 'unknown' },
  },
  {
    sender: 'Meraki',
    type: JSON_TYPE,
    body: {
      version: '0.1',
      sharedSecret: 'canary-secret',
      sentAt: '2026-01-15T14:00:02.461114Z',
      organizationId: '2930418',
      organizationName: 'Acme',
      networkId: 'N_24329156',
      networkName: 'Campus',
      deviceSerial: 'Q234-ABCD-5678',
      deviceMac: '00:1b:54:00:00:02',
      deviceName: 'ap-floor2',
      alertId: '0000000000000000',
      alertType: 'Client connectivity changed',
      alertTypeId: 'client_connectivity',
      alertLevel: 'critical',
      occurredAt: '2026-01-15T14:00:00.123450Z',
      alertData: { mac: '00:1B:54:00:00:03', ip: '192.0.2.13', connected: 'false', clientName: 'printer' },
    },
    macs: ['00:1B:54:00:00:02', '00:1B:54:00:00:03'],
    details: { state: 'unknown' },
  },
  {
    sender: 'PRTG',
    type: 'application/x-www-form-urlencoded',
    body: 'sensorid=2117&device=sw-floor2-17&name=Port+15&status=Down&message=%3Cdiv+class%3D%22status%22%3ENo+link%2C+last+00%3A1B%3A54%3A00%3A00%3A99%3C%2Fdiv%3E',
    macs: ['00:1B:54:00:00:99'],
    details: { title: 'No link, last 00:1B:54:00:00:99', state: 'firing' },
  },
  {
    sender: 'plain text',
    type: 'text/plain; charset=utf-8',
    body: '%LINK-3-UPDOWN: Interface Gi1/0/15,\nchanged state to down (001b.5400.0099)\n',
    macs: ['00:1B:54:00:00:99'],
    details: {
      title: '%LINK-3-UPDOWN: Interface Gi1/0/15, changed state to down (001b.5400.0099)',
      state: 'unknown',
    },
  },
];

/** A body as it goes over the wire. */
export function wireOf({ body }: Recorded): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
