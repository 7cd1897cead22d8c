/**
 * What monitoring systems call a part of an alert. A new sender is a new name, or a new row, in this file. Names are compared
 * without case, and without all that is neither a letter nor a digit: `Assurance Issue Name` is `assurance_issueName`.
 */
export type Named = { name: string };

export const TITLES = named(
  'title, description_title, Assurance Issue Name, alertType, alert_type, alertRule, ruleName, ProblemTitle',
  'AlarmName, search_name, event_definition_title, event_name, incident_name, condition_name',
  'entity_display_name, Subject, summary, AlertName, check_name, message, msg, state_message, serviceoutput',
  'hostoutput, text, description, details, _raw, output, reason',
);

/** What stands for a title if the body has no sentence. */
export const WEAK_TITLES = named('name, rule, type, eventType, status');

export const SEVERITIES = named(
  'severity, alertSeverity, event_severity, Assurance Issue Priority, priority, alertLevel, perceivedSeverity',
  'ProblemSeverity, urgency, impact, level',
);

export const BEGINNINGS = named(
  'startsAt, started_at, startTime, firedDateTime, created_at, dateStart, triggered_at, first_seen, occurred_at',
);

/** When the alert was sent: the beginning, if it fires and says no other. */
export const TIMES = named('StateChangeTime, event_time, timestamp, time, date, sent_at');

export const LINKS = named(
  'html_url, issueUrl, incident_url, ProblemURL, alert_url, event_url, permalink, web_url, shortlink',
  'ciscoDnaEventLink, results_link, generatorURL, link, url, externalURL',
);

/** Where senders that {@link SENDERS} does not know name themselves. */
export const SOURCES = named('monitoring_tool, monitoringService, source_name, source');

function named(...lists: string[]): Named[] {
  return wordsIn(...lists).map((name) => ({ name }));
}

function wordsIn(...lists: string[]): string[] {
  return lists.flatMap((list) => list.split(', '));
}

/** Where others use the same name for something else: @property form what the value looks like @property beside a name beside it */
type IdField = Named & { form?: RegExp; beside?: string };

/** What is the same in an incident's first alert and in its clear, and in no other incident's; the surest first. */
export const INCIDENT_IDS: readonly IdField[] = [
  { name: 'groupKey' }, // Alertmanager, Grafana
  { name: 'alert_cycle_key' }, // Datadog
  { name: 'alertId', form: /[^0]/ }, // Meraki's is 0 for an alert that has no end
  { name: 'issueId' }, // New Relic, Sentry
  { name: 'incident_id' },
  { name: 'problem_id' }, // Dynatrace, Nagios
  { name: 'dedup_key' },
  { name: 'AlarmArn' }, // CloudWatch
  { name: 'AlertActiveID' }, // SolarWinds
  { name: 'AlertObjectID' },
  { name: 'instanceId', form: /^[\da-f]{8}-/i }, // Catalyst Center
  { name: 'entity_id', beside: 'message_type' }, // Splunk On-Call
  { name: 'monitorID', beside: 'important' }, // Uptime Kuma
  { name: 'check_id', beside: 'check_name' }, // Pingdom
  { name: 'sensorid' }, // PRTG
  { name: 'eventid', form: /^\d+$/ }, // Zabbix
];

/** Where an `id` is the incident's: at the top, or in one of these. */
export const INCIDENT_OBJECTS = ['alert', 'issue', 'incident', 'problem', 'event.data'];
/** Beside one of these, an `id` is that of one delivery: it changes from the alert to its clear. */
export const DELIVERY_MARKS = ['eventType', 'eventId', 'check', 'specversion'];

export const RESOLVED = wordsIn(
  'resolved, resolve, recovered, recovery, cleared, clear, closed, close, normal, up, passing, Status Reset',
);
export const FIRING = wordsIn(
  'firing, fired, problem, triggered, trigger, retriggered, alerting, alarm, alert, active, activated',
  'open, opened, new, create, created, acknowledged, acknowledgement, acked, unacked, pending, down',
  'critical, warning, warn, major, error, failing, failed, unreachable, unresolved, no data',
  'investigating, identified, monitoring',
);

/**
 * @property under the object that the field stands in, if its words mean something else elsewhere
 * @property resolved more words for this field: `OK`, `0` and `1` mean the end only where a sender says so
 * @property isEnding whether only the value's last word counts
 */
export type StateField = Named & {
  under?: string;
  resolved?: readonly string[];
  firing?: readonly string[];
  isEnding?: true;
};

const OK = ['ok'];

export const STATES: readonly StateField[] = [
  { name: 'notificationtype' }, // Nagios, Icinga, Checkmk
  { name: 'type', under: 'notification' }, // Icinga
  { name: 'monitorCondition' }, // Azure Monitor
  { name: 'NewStateValue', resolved: OK }, // CloudWatch
  { name: 'Assurance Issue Status' }, // Catalyst Center
  { name: 'alert_transition' }, // Datadog
  { name: 'message_type' }, // Splunk On-Call
  { name: 'alertActionGroup' }, // Kibana
  { name: 'action' }, // Opsgenie, Sentry
  { name: 'event_action' }, // PagerDuty
  { name: 'event_value', resolved: ['0'], firing: ['1'] }, // Zabbix
  { name: 'status', under: 'heartbeat', resolved: ['1'], firing: ['0'] }, // Uptime Kuma
  { name: 'status', under: 'check', resolved: ['0'], firing: ['1', '2'] }, // Sensu
  { name: 'status', resolved: OK },
  { name: 'event_status', resolved: OK }, // Zabbix
  { name: 'trigger_status', resolved: OK },
  { name: 'alert_status', resolved: OK },
  { name: 'alert_state', resolved: OK }, // Observium
  { name: 'state', resolved: ['ok', '0'], firing: ['1', '2', '3', '4', '5'] }, // LibreNMS
  { name: 'current_state', resolved: OK }, // Pingdom, New Relic
  { name: 'STATE.CURRENT_ALERT_PHASE' }, // Splunk On-Call
  { name: 'servicestate', resolved: OK }, // Nagios
  { name: 'hoststate', resolved: OK },
  { name: 'ProblemStatus' }, // Dynatrace
  { name: 'eventType', isEnding: true }, // ThousandEyes
];

/** @property has the names that only this sender's bodies have  @property part what names the sender's part */
type Sender = { name: string; has: readonly string[]; part?: string };

export const SENDERS: readonly Sender[] = [
  { name: 'Grafana', has: ['groupKey', 'orgId'] },
  { name: 'Alertmanager', has: ['groupKey'] },
  { name: 'PagerDuty', has: ['event_type', 'occurred_at', 'resource_type'], part: 'service' },
  { name: 'Opsgenie', has: ['integrationId', 'tinyId'] },
  { name: 'Splunk', has: ['search_name', 'results_link'] },
  { name: 'Catalyst Center', has: ['ciscoDnaEventLink'] },
  { name: 'Meraki', has: ['alertTypeId', 'networkId'] },
  { name: 'Azure Monitor', has: ['monitorCondition'] },
  { name: 'CloudWatch', has: ['NewStateValue'] },
  { name: 'New Relic', has: ['issueUrl', 'alertPolicyNames'] },
  { name: 'Dynatrace', has: ['ProblemTitle'] },
  { name: 'Uptime Kuma', has: ['heartbeat', 'monitor'] },
  { name: 'Graylog', has: ['event_definition_id'] },
];

/** Objects under a name that ends so tell of a thing, and not of the alert: they count last. */
export const THINGS =
  /(?:host|device|service|monitor|network|organi[sz]ation|org|site|entit(?:y|ie)|client|node|component|page|account|project|tenant|user|actor|owner|team|agent|backlog)s?$/;

/** What stands under such a name is shown to nobody. */
export const SECRETS = /token|secret|passw|passphrase|key|credential|authorization|cookie|signature/;
