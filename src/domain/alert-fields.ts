/**
 * What monitoring systems call a part of an alert. A new sender is a new name, or a new row, in this file. Names are compared
 * without case, and without all that is neither a letter nor a digit: `Assurance Issue Name` is `assurance_issueName`.
 */
export function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

export type Named = { name: string };

/** Rows for the names of a list, all with the same properties. */
function named<Properties extends object>(list: string, properties?: Properties) {
  return wordsIn(list).map((name) => ({ name, ...properties }) as Named & Partial<Properties>);
}

function wordsIn(list: string): string[] {
  return list.split(',').map(plain);
}

export const TITLES = named(
  `title, description_title, Assurance Issue Name, alertType, alert_type, alertRule, ruleName, ProblemTitle,
  AlarmName, search_name, event_definition_title, event_name, incident_name, condition_name,
  entity_display_name, Subject, short_description, summary, AlertName, check_name, message, msg, state_message, serviceoutput,
  hostoutput, text, description, details, _raw, output, reason`,
);

/** What stands for a title if the body has no sentence. */
export const WEAK_TITLES = named('name, rule, type, eventType, status');

export const SEVERITIES = named(
  `severity, alertSeverity, event_severity, Assurance Issue Priority, priority, alertLevel, perceivedSeverity,
  ProblemSeverity, urgency, impact, level`,
);

export const BEGINNINGS = named(
  'startsAt, started_at, startTime, firedDateTime, created_at, dateStart, triggered_at, first_seen, occurred_at',
);

/** When the alert was sent: the beginning, if it fires and says no other. */
export const TIMES = named('StateChangeTime, event_time, timestamp, time, date, sent_at');

export const LINKS = named(
  `html_url, web_url, issueUrl, incident_url, ProblemURL, alert_url, event_url, permalink, shortlink,
  ciscoDnaEventLink, results_link, generatorURL, link, url, externalURL`,
);

/** Where senders that {@link SENDERS} does not know name themselves. */
export const SOURCES = named('monitoring_tool, monitoringService, source_name, source');

export type IncidentId = Named & { form?: RegExp; beside?: string; joined?: string[] };

/**
 * What is the same in an incident's first alert and in its clear, and in no other incident's; the surest first. Where others
 * use a name for something else, `form` is what the value looks like, and `beside` a name beside it. `joined`: names beside it
 * that tell incidents apart, because the id alone is that of a rule.
 */
export const INCIDENT_IDS: readonly IncidentId[] = [
  ...named('groupKey, alert_cycle_key'), // Alertmanager and Grafana, Datadog
  ...named('alert_id', { beside: 'alerttransition', joined: wordsIn('alert_scope, scope, hostname, host') }), // Datadog
  ...named('alertId', { beside: 'alertactiongroup', joined: wordsIn('ruleId, ruleName') }), // Kibana
  ...named('alertId', { form: /[^0]/ }), // Meraki's is 0 for an alert that has no end
  ...named('issueId, incident_id, problem_id, dedup_key'), // New Relic and Sentry, PagerDuty, Dynatrace and Nagios
  ...named('AlarmArn, AlertActiveID, AlertObjectID'), // CloudWatch, SolarWinds
  ...named('instanceId', { form: /^[\da-f]{8}-/i }), // Catalyst Center
  ...named('entity_id', { beside: 'messagetype' }), // Splunk On-Call
  ...named('monitorID', { beside: 'important' }), // Uptime Kuma
  ...named('check_id', { beside: 'checkname' }), // Pingdom
  ...named('sensorid'), // PRTG
  ...named('eventid', { form: /^\d+$/ }), // Zabbix
];

/** Where an `id` is the incident's: at the top, or in one of these. */
export const INCIDENT_OBJECTS = ['', 'alert', 'alertgroup', 'issue', 'incident', 'problem', 'event.data'];
/** Beside one of these, an `id` is that of one delivery: it changes from the alert to its clear. */
export const DELIVERY_MARKS = wordsIn('eventType, eventId, check, specversion');

export const RESOLVED = wordsIn(
  'resolved, resolve, recovered, recovery, cleared, clear, closed, close, normal, up, passing, Status Reset',
);
export const FIRING = wordsIn(
  `firing, fired, problem, triggered, trigger, retriggered, alerting, alarm, alert, active, activated,
  open, opened, new, create, created, acknowledged, acknowledgement, acked, unacked, pending, down,
  critical, warning, warn, major, error, failing, failed, unreachable, unresolved, no data,
  investigating, identified, monitoring`,
);

/**
 * A field for the state. `resolved`, `firing`: more words, for `OK`, `0` and `1` mean the end only where a sender says so.
 * `under`: counts under this object alone; empty: at the top alone. `isEnding`: only its last word counts.
 */
export type StateField = Named & { under?: string; isEnding?: true; resolved?: string[]; firing?: string[] };

const OK = { resolved: ['ok'] };

/** What stands under one of these was found, or is a person's mark: no state of the alert. */
export const FINDINGS = wordsIn(
  `labels, commonLabels, groupLabels, annotations, commonAnnotations, tags, result, fields, _source, hits, ports,
  interfaces, connection, alert_payload`,
);

/** What stands under one of these is a button. */
export const BUTTONS = wordsIn('actions, potentialAction');

export const STATES: readonly StateField[] = [
  ...named('notificationtype'), // Nagios, Icinga, Checkmk
  ...named('type', { under: 'notification' }), // Icinga
  ...named('monitorCondition'), // Azure Monitor
  ...named('NewStateValue', OK), // CloudWatch
  ...named('Assurance Issue Status, alert_transition, message_type'), // Catalyst Center, Datadog, Splunk On-Call
  ...named('alertActionGroup'), // Kibana
  ...named('action, event_action', { under: '' }), // Opsgenie and Sentry, PagerDuty; firewalls have it in what they log
  ...named('event_value', { resolved: ['0'], firing: ['1'] }), // Zabbix
  ...named('status', { under: 'heartbeat', resolved: ['1'], firing: ['0'] }), // Uptime Kuma
  ...named('status', { under: 'check', resolved: ['0'], firing: ['1', '2'] }), // Sensu
  ...named('status, event_status, trigger_status, alert_status, alert_state', { resolved: ['ok', 'reset'] }), // Zabbix, SolarWinds
  ...named('state', { resolved: ['ok', '0'], firing: ['1', '2', '3', '4', '5'] }), // LibreNMS
  ...named('current_state, level', OK), // Pingdom, New Relic, Kapacitor
  ...named('STATE.CURRENT_ALERT_PHASE'), // Splunk On-Call
  ...named('servicestate, hoststate', OK), // Nagios
  ...named('ProblemStatus'), // Dynatrace
  ...named('eventType', { isEnding: true }), // ThousandEyes
  ...named('alertTypeId', { resolved: ['startedreporting'] }), // Meraki
];

const sender = (name: string, has: string, part?: string) => ({ name, has: wordsIn(has), part });

/** Senders by the names that only their bodies have, and what names the sender's part. */
export const SENDERS = [
  sender('Grafana', 'groupKey, orgId'),
  sender('Alertmanager', 'groupKey'),
  sender('PagerDuty', 'event_type, occurred_at, resource_type', 'service'),
  sender('Opsgenie', 'integrationId, tinyId'),
  sender('Splunk', 'search_name, results_link'),
  sender('Catalyst Center', 'ciscoDnaEventLink'),
  sender('Meraki', 'alertTypeId, networkId'),
  sender('Azure Monitor', 'monitorCondition'),
  sender('CloudWatch', 'NewStateValue'),
  sender('New Relic', 'issueUrl, alertPolicyNames'),
  sender('Dynatrace', 'ProblemTitle'),
  sender('Uptime Kuma', 'heartbeat, monitor'),
  sender('Graylog', 'event_definition_id'),
];

/** Objects under a name that ends so tell of a thing, and not of the alert: they count last. */
export const THINGS =
  /(?:host|device|service|monitor|network|organi[sz]ation|org|site|entit(?:y|ie)|client|node|component|page|account|project|tenant|user|actor|owner|team|agent|backlog)s?$/;

/** What stands under such a name is shown to nobody. */
export const SECRETS = /token|secret|passw|passphrase|key|credential|authorization|cookie|signature/;
