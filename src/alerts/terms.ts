/**
 * The words and patterns of the rules. Names are compared as `toWords` writes them. A vendor's own name stands here only
 * where no rule of form covers it, with the vendor.
 */

const INCIDENTS =
  'alert|alarm|incident|issue|problem|fault|ticket|case|finding|detection|outage|violation|anomaly|offense';

/** Makes a pattern for words; `ALERT` is any word for an alert. */
const pattern = (source: TemplateStringsArray, ...parts: string[]) =>
  new RegExp(String.raw(source, ...parts).replaceAll('ALERT', `(?:${INCIDENTS})`));

/** Objects that are an alert (`incident`, `metric_alert`), and types of one (`cond.Alarm`). */
export const INCIDENT = pattern`(?:^| )ALERTs?(?: (?:group|event|record|report)s?)?$`;
/** Objects that only group the fields of the one around them. */
export const MEMBER = pattern`^(?:data|attributes|properties|details?|context|essentials|events?|payload|body|object|status|state|facts|fields|sections|blocks|embeds|attachments|check|notification|trigger|workflow|text|message|msg|raw|full log|value|resource data|meta ?data|content|id)$`;
/** Fields of which the name of their object is a part: `id` in `incident` is an `incident id`. */
export const BARE = /^(?:id|uid|uuid|guid|number|ref|key|name|url|signature|status)$/;
/** Such objects, besides all things. */
export const NAMING = pattern`^(?:ALERT(?: (?:group|event|record|report))?|check|sensor|probe|heartbeat|trigger)$`;
/** Things that alerts are about. */
const THINGS =
  'ap|check|client|component|connection|connectivity|device|entity|gateway|host|interface|link|monitor|network|node|port|power|resource|sensor|server|service|site|switch|system';
/** Things of which a state can be: `Device is back online`, `connection restored`. */
export const OF_THING = pattern`^(?:${THINGS})$`;
/** Objects that describe a thing: their words come last, and their state is not the alert's. Buttons and footers are some. */
export const THING = pattern`(?:${THINGS}|organi[sz]ation|org|entitie|page|account|project|tenant|user|actor|owner|team|agent|backlog|subscription|receiver|button|action|footer|author|image|switche)s?$`;
/** Objects for findings, measurements and queries: neither their state nor their link is the alert's. */
export const FINDING = pattern`(?:labels|annotations|tags|dimensions)$|^(?:results?|source|hits|metrics?|alert payload)$|(?:^| )(?:alert |check)?(?:rule|policy|request|response|session|flow|tcp)s?$`;
/** Names of the past and of the future, and of other alerts. */
export const PAST = pattern`(?:^| )(?:previous|prev|old|last|worst|prior|orig|original(?! problem id)|former|before|initial|snapshots?|prechange|history|expected|scheduled|parent|related|child|linked|duplicate|merged)(?: |$)|^(?:previous|prev(?!ent)|old|last|orig(?!inal problem id))`;
/** Values under such names are shown to nobody. */
export const SECRET = /token|secret|passw|passphrase|key|credential|authorization|cookie|(?<!alert)signature/;

/** The words that can follow a field's main word. */
const SUFFIX = '(?: ?(?:string|friendly|display|name|value|text|label|description|score|id))*$';
/** Fields for the title, the surest first, and how many words each needs: a sentence goes before a slug. */
const NAMED = pattern`(?:title|headline)$|^(?:alert|alarm) ?(?:type|rule)$|(?:^| )(?:ALERTs?|rule|check|search|condition|event|trigger|threat)(?: ?(?:friendly|display))? ?name$`;
const SUMMARY = pattern`(?:^| )(?:subject|summary(?: message)?|short description)$|^ALERT$`;
const MESSAGE = /(?<!alt|fallback|con|response|severity) ?(?:message|msg|text|markdown|output)$/;
export const DESCRIPTION = pattern`(?<!^stat(?:us|e) ?)(?:descr?|description|details?|info|content|body|name|activity|comments?|remarks?|explanation|problem)$`;
/** Fields whose text can say that it is over. */
export const HEADLINE = new RegExp([NAMED, SUMMARY, MESSAGE].map(({ source }) => source).join('|'));
export const TITLES: ReadonlyArray<[name: RegExp, minWords: number]> = [
  [/(?:title|headline)$/, 3],
  [NAMED, 2],
  [SUMMARY, 2],
  [MESSAGE, 2],
  [DESCRIPTION, 3],
  [/(?:cause|reason|error)$/, 2],
  [NAMED, 1],
  [MESSAGE, 1],
  [/^(?:descr?|description)$/, 2],
  [/^(?!.*(?:status|state)$|stat(?:us|e) ?desc)/, 3],
];
/** Fields for the name of the thing that the alert is about. */
export const THING_NAMES = [
  pattern`^(?:${THINGS})(?: (?:friendly|display))? ?name$`,
  /^(?:(?:display|friendly|site) ?)?(?:name|label)$/,
  pattern`^(?!client)(?:${THINGS})$`, // PagerDuty calls the sender its client.
];
/** Fields for the kind of alert, the last resort. */
export const KIND = /^(?:name|rule|type|category|code|status|event ?(?:type|name)?)$/;
/** Sentences about nothing. */
export const EMPTY =
  /^(?:|(?:you have|there is|something is)\b\D*|(?:new )?(?:alert|notification|event|message|notice)(?: (?:alert|notification|received|triggered|from \S+))?\W*)$/i;

/** Fields for how grave it is, the surest first. */
export const SEVERITIES = [
  /severity|^sev(?: |$)/,
  /^priority$/,
  pattern`^(?:(?:ALERT|assurance|event|perceived|log|risk|threat|trigger) ?)*(?:priority|level|criticality|urgency|impact)${SUFFIX}`,
];

/** Fields for the alert's page, the surest first. */
export const LINKS = [
  pattern`(?:^| )ALERTs?(?: ?(?:details?|response|app|page))? ?(?:url|link)$|^(?:perma|short) ?links?$`,
  pattern`(?:^| )(?:html|web|results?|title|console|portal|view|deep|details?|event) ?(?:url|link)$|^link ?(?:to ?)?(?:ALERT|event|sensor)$`,
  /^(?:(?:generator ?)?url|link|href)$/,
  /^external ?url$|dashboard ?(?:url|link)$/,
];
/** Next to one of these, a plain `url` is the page that a monitor looks at, or a log is about. */
export const MONITORED =
  /^(?:http|monitor|check|response|status ?code|src|dst|dest|source ?ip|user ?agent|referr?er)/;
export const DEEP = /^https:\/\/[^/]+\/(?:[^/?#]+\/+[^/?#]|.*#)/;

/** Where senders name themselves. */
export const SOURCE = /^(?:monitoring ?(?:tool|service)|source(?: ?name)?)$/;
/** Fields that together only one sender's bodies have, and the sender. */
export const SENDERS =
  `groupkey+orgid Grafana, groupkey Alertmanager, resourcetype+occurredat PagerDuty, tinyid Opsgenie, resultslink Splunk,
  ciscodnaeventlink Catalyst Center, alerttypeid Meraki, monitorcondition Azure Monitor, newstatevalue CloudWatch,
  alertpolicynames New Relic, problemtitle Dynatrace, heartbeat+monitor Uptime Kuma, eventdefinitionid Graylog`
    .split(/,\s+/)
    .map((each) => each.split(/ (.*)/));

/** Ids of incidents and alerts, the surest first. Those of deliveries, events and rules are none, nor are zeros (Meraki). */
const ID = '(?:id|sn|no|number|nr|identifier|guid|uuid|uid|arn|ref|reference)$';
export const IDS: ReadonlyArray<{ name: RegExp; form?: RegExp; isBare?: true }> = [
  { name: /^(?:group key|alert cycle key|message key|(?:alert )?dedup(?:e|lication)? ?(?:key|id))$/ },
  { name: pattern`^incident ?${ID}` }, // Of one incident there can be several alerts.
  {
    name: pattern`(?:^| )ALERT(?: ?(?:group|event|record|report|active|object|instance|unique|correlation|serial|sys|short|public|external))? ?${ID}`,
    form: /^(?![a-z]{2,}(?:[_-][a-z]{2,})+$|[\W0]*$)/i, // `ap_offline` is a type of alerts (EnGenius).
  },
  { name: /^instance id$/, form: /^[\da-f]{8}-/i }, // Catalyst Center's; a cloud machine's has another form.
  { name: /^fingerprint$/, form: /^\w/ }, // Sentry's default is `{{ default }}`.
  { name: /^(?:(?:(?:display|public|short) )?id|uid|moid|sys id)$/, isBare: true },
  { name: /^number$/, form: /^[A-Z]{2,8}\d+$/, isBare: true },
  { name: pattern`^(?:ALERT|correlation|reduction|aggreg(?:ation)?) ?key$` },
  // A monitor has one open incident, and so has an entity (Splunk On-Call, Zenduty).
  { name: /^(?:monitor|check|sensor|probe|test|heartbeat) ?(?:id|uuid|code)$|^(?:alert )?entity id$/ },
  { name: pattern`^event ?${ID}`, form: /^\d+$/ }, // Zabbix, xMatters
  { name: /^trigger ?id$/ },
  { name: /^resources$/, form: /:alarm:/ }, // CloudWatch by EventBridge: the alarm's ARN
];
/** Together with an alert's id, these distinguish incidents of one rule. */
export const JOINED = /^(?:(?:alert )?scope|host ?name|host|rule ?(?:id|name))$/;
/** Where a notification is of one kind or another (Nagios and its like), these are the check, which has one open incident. */
export const NOTIFICATION = /(?:^| )notification ?type$/;
export const CHECK = /^(?:host|service)(?: ?(?:name|desc(?:ription)?))?$/;

const wordsIn = (list: string) => new Set(list.trim().split(/\s+/));
/** Whole words for the end, the same for every field. */
export const ENDS = wordsIn(`
  resolved resolve recovered recovery recover cleared clear closed close canceled cancelled cancel restored restore ended end
  finished ceased terminated deasserted dismissed deactivated remediated passed fixed solved release released ok
  okay normal up online inactive reachable connected reconnected passing healthy operational available reporting done reset
  alive good green`);
/** Those that are no state of a thing: an end in any object. */
export const OVER =
  /^(?:resolved?|recovered|recovery|clear(?:ed)?|cancel\w*|restored|ended|dismissed|remediated|solved)\b/i;
/** Whole words for an alert that goes on, which count where an end contradicts. */
export const STARTS = wordsIn(`
  firing fired triggered trigger retriggered alerting active activated open opened reopened new create created raised confirmed detected started
  ongoing pending acknowledged acknowledgement acked unacked investigating identified monitoring unresolved down offline
  disconnected unreachable lost degraded unhealthy failing failed failure anomalous problem alert alarm critical warning
  warn major error`);

/** Whole words for a kind of alert, which a field for the type can hold in any state. */
export const NOUNS = /^(?:problem|alert|alarm|critical|warning|warn|major|error|failure)$/;
const wordFor = (words: string) =>
  pattern`^(?:(?:ALERT|event|date|time) )*(?:${words})(?: ?(?:at|on|since|time|date|stamp|utc|ms|epoch|unix|iso|zoned))*$`;
/** Fields for the beginning: a word for a firing alert, and one for a time. */
export const BEGINNING = wordFor(
  `${[...STARTS].filter((word) => !NOUNS.test(word)).join('|')}|(?:start|beg[ai]n)[a-z]*|first ?seen|occurred`,
);
/** Fields for when the alert was sent: the beginning, if it fires and names no other. */
export const SENT = /change ?time$|^sent at$|^(?:(?:event|alert|alarm) ?)?(?:time ?(?:stamp)?|date)$/;
/** Fields for the end: a time in one of them is a state. */
export const ENDINGS = wordFor(
  '(?:resolv|clear|clos|recover|end)(?:e?d|e|s|y)?|resolution|restored|finished',
);
/** Words that change nothing around a state: `POLICY_CLOSE_CRITICAL`, `Recovery Notification`, `Auto Resolved`, `back to normal`. */
export const AROUND = pattern`^(?:ALERT|event|notification|status|state|critical|major|minor|warn|warning|error|info|is|now|has|been|again|auto(?:matically)?|manually|by|system|back|to|the|all|(?:un)?ack)$`;
/** Names that end in a word for the end, but mean none: `START_UP`, `VALVE_CLOSED`, `NOT_OK`, `ROGUE_ONLINE`. */
export const NO_END = pattern`(?:^| )(?:not|no|never|non|un|off|with|without|above|below|new|unknown|rogue|un[a-z]+ed) (?!(?:.* )?to )|(?:ed|start|back|set|sign|boot|clean|look|scale|wake|power|warm) up$|(?:^| )(?!(?:ALERT|event|policy|condition|notification|status|state)s? )[^ ]+ (?:closed?|end(?:ed)?)$|log cleared$|(?:config|configuration|backup|snapshot|database) restored?$|stopped reporting$|(?:inactive|terminated|passed|available|released?|finished|done|reset|alive|good|green)$`;

export const STATUS = pattern`(?:status|state|condition|transition|phase|stage|milestone|notification ?type|action ?group)${SUFFIX}`;
/** Fields for an event's name. */
export const EVENT = pattern`(?:event|action|type|kind|trigger|notification|^alert|^alarm)${SUFFIX}`;
/** No state of an alert: other words with these ends; a connection's state, a person's mark, a device's verdict, a name. */
export const NO_STATE = pattern`(?:trans|inter|re|fr)action$|prevent$|estate$|^al(?:ert|arm) ?name$|(?:http|tcp|response|conn|session|(?<!work)flow|admin|posture|compliance|record|auth|ack(?:nowledg\w+)?|approval|delivery|door|job|licen[cs]e|sync|task|backup|from|desired) ?(?:status|state)(?: ?text)?$|(?:fw|firewall|policy|utm|device|dev|app|traffic|conn|session|rule|recommended|corrective|suggested) ?action$`;
/** Fields that are true or false; the last word is the state. */
export const FLAG = pattern`^(?:(?:is|in|has|been|currently|still|ALERT) )*([a-z]+)$`;
/** Words for a thing rather than for the alert: no state as a flag. */
export const NO_FLAG = pattern`^(?:good|ok|ack.*|confirmed|identified|new|created?|pending|lost|monitoring|problem|critical|warn.*|major|error)$`;
/** Fields with a number, and the one that means the end, by their senders' documentation: LibreNMS, Zabbix, Uptime Kuma. */
export const NUMBERS = /^(?:(?:state|event value) (?:(?<end>0)|\d)|heartbeat status (?:(?<end>1)|\d))$/;
/** How titles mark an end: `Resolved in 5m: ...`, `OK: ...`, `... (resolved)`. Zabbix and Datadog have forms of their own. */
export const CLEAR_TITLE =
  /^[^\p{L}]*(?:(?:auto-?|manually )?(?:resolved|recovered|recovery|cleared|closed)(?: in \d[\d.]*\w{0,9}(?: \d[\d.]*\w)*)?\s*(?:[\]):|\u2013\u2014-]|$)|\[recovered on\b|(?:ok|up)\s*[\]:]|(?:an )?(?:alert|incident|problem)(?: for \S+)? has been resolved\b|recovery (?:host|service) alert\b)|\((?:resolved|recovered|cleared|closed)\)$/iu;
export const MAX_STATE = 100;
/** Blanks, and the names of emoji: `:fire: Gatus`. */
export const SPACE = /(?:(?<!\S):[\w+-]+:(?!\S)|\s)+/g;
/** A word of two letters or more that is no address. Chinese, Japanese and Thai have no blanks. */
export const WORD = /(?:^| )(?![\da-f]+(?:[:.-][\da-f]+)+(?: |$))\S*?\p{L}{2}|\p{Lo}{2}/giu;

/**
 * Fields for a device's address. They begin or end with mac: `eth0_mac`, `macDst`, `srcMacAddrs`; `hmac`, `macro` do not. An id is
 * none, but RADIUS has called stations' addresses so (RFC 2865, sections 5.30 and 5.31).
 */
export const ADDRESS =
  /^(?!mac ?os|.*(?:(?<!station) id| key| type| vendor| count| table| hash| sha\d*)$).*?(?:(?:^|[^hckg]|[a-z][ckg]|switch|eth|tooth)mac(?: ?addr(?:ess)?(?:es)?)?s?(?: ?(?:\d+|string))?$|^macs?(?: |$|src|dst|source|dest|addr)|^(?:client|station|endpoint)s?(?: ?addr(?:ess)?(?:es)?)?$|(?:^| )(?:calling|called) ?station ?id$|(?:phys(?:ical)?|hw|hardware|ether(?:net)?) ?addr(?:ess)?(?:es)?$|^(?:aps?|bssids?)$)/;
/** Fields of which their object's name says whether they are one. */
export const INNER = /^(?:value|address|addr|src|dst|source|destination)$/;
/** Serial numbers can have the form of Cisco's addresses (Peplink: `1824-AAAA-BBBB`), so there only pairs count. */
export const SERIAL = /(?:^| )(?:serial(?: ?(?:number|no))?|sn|uuid|guid)$/;
export const PAIRS = /(?:[\da-f]{2}[:-]){5}[\da-f]{2}/i;
export const MAX_LABEL = 40;
/** The label of an address, right before it in a text. Cisco's phones name themselves by theirs, behind `SEP`. */
export const ADDRESS_LABEL =
  /(?<![\w./?&#-])(?:(?:mac|client|station|endpoint|(?:if)?phys)s?(?:[\s_-]?(?:mac|addr(?:ess)?)){0,2}["']?(?:\s(?:is|was))?\s*[:=]?[\s"'`*(<[]*|(?:mac|calling-station|called-station)[\s_-]?id["']?\s*[:=]\s*["']?|sep)$/i;
/** Twelve digits that are no part of a longer run, nor a UUID's end; and a text of them alone. */
export const DIGITS = /(?<![\da-f]|[\da-f]{4}-)[\da-f]{12}(?![\da-f])/gi;
export const ONLY_DIGITS = /^[\s`*]*[\da-f]{12}(?:[\s,;|]+[\da-f]{12})*[\s`*]*$/i;
/** Before the last digit of an address. macOS and net-snmp leave a zero out there; people do not. */
export const LOST_ZERO = /(?<=(?<![\da-f:])(?:[\da-f]{2}:){5})(?=[\da-f](?![\da-f:]))/gi;
