import { distance } from 'fastest-levenshtein';

/** A monitoring system, and how it is told to send alerts. */
export type Sender = {
  name: string;
  /** What else people call it: letters and digits in lower case. */
  aliases?: readonly string[];
  /** How it proves itself, in a few words. */
  proof: string;
  /** Where its configuration goes: a sentence in markdown. */
  where: string;
  /** What to paste or to fill in. `<ALERTS_TOKEN>` stands for the token. @param url the address for senders */
  configuration(url: string): string;
};

/** Any sender that can send a header. */
export const ANY_SENDER: Pick<Sender, 'where' | 'configuration'> = {
  where: 'Any other sender: a POST of JSON, a form or text, with the token in a header.',
  configuration: (url) => `curl -X POST ${url} \\
  -H 'Authorization: Bearer <ALERTS_TOKEN>' \\
  -H 'Content-Type: application/json' \\
  -d '{"text": "port down: 00:00:5E:00:53:01"}'`,
};

/** The senders that many have. Only those that can send no header get the token in the address. */
export const SENDERS: readonly Sender[] = [
  {
    name: 'Alertmanager',
    aliases: ['prometheus'],
    proof: 'bearer token or Basic',
    where:
      'In `alertmanager.yml`. A route must name this receiver. `credentials_file` takes the token from a file.',
    configuration: (url) => `receivers:
  - name: nac-lookup-bot
    webhook_configs:
      - url: ${url}
        http_config:
          authorization:
            credentials: <ALERTS_TOKEN>
        send_resolved: true
        max_alerts: 500`,
  },
  {
    name: 'Grafana',
    proof: 'bearer token or Basic',
    where:
      'A contact point of kind Webhook, as a file in `provisioning/alerting`. A notification policy must name it.',
    configuration: (url) => `apiVersion: 1
contactPoints:
  - orgId: 1
    name: nac-lookup-bot
    receivers:
      - uid: nac-lookup-bot
        type: webhook
        settings:
          url: ${url}
          httpMethod: POST
          authorization_scheme: Bearer
          authorization_credentials: <ALERTS_TOKEN>
          maxAlerts: "500"`,
  },
  {
    name: 'PagerDuty',
    proof: 'custom header',
    where: 'Integrations, Generic Webhooks (v3), New Webhook.',
    configuration: (url) => `Webhook URL: ${url}
Custom header: Authorization
Value: Bearer <ALERTS_TOKEN>
Events: incident.triggered, incident.resolved`,
  },
  {
    name: 'Opsgenie',
    proof: 'custom header',
    where:
      'Settings, Integrations, Webhook. The alert should hold the MAC address in its message, entity or description.',
    configuration: (url) => `Webhook URL: ${url}
Custom header: Authorization
Value: Bearer <ALERTS_TOKEN>
Alert actions: Create, Close`,
  },
  {
    name: 'Splunk',
    proof: 'token in the address',
    where: 'In `savedsearches.conf`, in the stanza of the alert. A webhook allow list must name the address.',
    configuration: (url) => `action.webhook = 1
action.webhook.param.url = ${url}?token=<ALERTS_TOKEN>`,
  },
  {
    name: 'Zabbix',
    proof: 'header, set by script',
    where:
      'A media type of kind Webhook. Parameters: `url`, `token`, `title` = `{ALERT.SUBJECT}`, `message` = `{ALERT.MESSAGE}`, `status` = `{EVENT.STATUS}`.',
    configuration: (url) => `// url = ${url}
// token = <ALERTS_TOKEN>
var params = JSON.parse(value);
var request = new HttpRequest();
request.addHeader('Content-Type: application/json');
request.addHeader('Authorization: Bearer ' + params.token);
var body = { title: params.title, message: params.message, status: params.status };
request.post(params.url, JSON.stringify(body));
if (request.getStatus() !== 202) throw 'HTTP status ' + request.getStatus();
return 'OK';`,
  },
  {
    name: 'Catalyst Center',
    aliases: ['dnac', 'dnacenter', 'ciscocatalystcenter', 'catalyst'],
    proof: 'header',
    where: 'System, Settings, External Services, Destinations, Webhook. Then subscribe to events with it.',
    configuration: (url) => `URL: ${url}
Method: POST
Header: Authorization
Value: Bearer <ALERTS_TOKEN>`,
  },
  {
    name: 'Meraki',
    aliases: ['ciscomeraki'],
    proof: 'header of its payload template',
    where: 'Network-wide, Alerts, Webhooks: an HTTPS server with this payload template.',
    configuration: (url) => `URL: ${url}
Shared secret: <ALERTS_TOKEN>
Liquid header: Authorization
Value: Bearer {{sharedSecret}}
Liquid body:
{
  "title": "{{alertType}}",
  "network": "{{networkName}}",
  "mac": "{{alertData.mac}}"
}`,
  },
  {
    name: 'PRTG',
    proof: 'token in the address',
    where:
      'A notification template with Execute HTTP Action. The MAC address must stand in the name or the message.',
    configuration: (url) => `URL: ${url}?token=<ALERTS_TOKEN>
HTTP method: POST
Payload: title=%device %name&message=%message&status=%status`,
  },
];

/** The sender of this name, in any spelling of blanks and case; else the nearest name, if one is near. */
export function findSender(typed: string): { sender: Sender } | { nearest: Sender | undefined } {
  const wanted = plain(typed.slice(0, MOST_CHARACTERS));
  const named = SENDERS.flatMap((sender) =>
    [plain(sender.name), ...(sender.aliases ?? [])].map((name) => ({
      sender,
      off: distance(wanted, name),
      name,
    })),
  ).toSorted((one, other) => one.off - other.off)[0];
  if (named?.off === 0) return { sender: named.sender };
  return {
    nearest: named && named.off <= 2 && named.off * 2 <= named.name.length ? named.sender : undefined,
  };
}

const MOST_CHARACTERS = 64;

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
