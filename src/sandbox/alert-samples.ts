/** A body of each monitoring system that the sandbox can play, by name. @param now milliseconds since 1970 */
export function alertSamples(now: number): ReadonlyMap<string, unknown> {
  return new Map([['alertmanager', alertmanager(now)]]);
}

/** Prometheus Alertmanager's webhook, version 4: two ports went down five minutes ago. */
function alertmanager(now: number) {
  const startsAt = new Date(now - 5 * 60_000).toISOString();
  const alert = (mac: string, fingerprint: string) => ({
    status: 'firing',
    labels: { alertname: 'PortDown', severity: 'critical', mac },
    annotations: {},
    startsAt,
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'https://prometheus.example/graph',
    fingerprint,
  });
  return {
    version: '4',
    groupKey: '{}:{alertname="PortDown"}',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'nac-lookup-bot',
    groupLabels: { alertname: 'PortDown' },
    commonLabels: { alertname: 'PortDown', severity: 'critical' },
    commonAnnotations: { summary: 'Ports on sw-floor2-17 are down' },
    externalURL: 'https://alertmanager.example',
    alerts: [alert('00:1b:54:00:00:03', 'c6b4e5d2a1f09b8e'), alert('AA:BB:CC:DD:EE:FF', 'a1f09b8ec6b4e5d2')],
  };
}
