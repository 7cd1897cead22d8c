import { readIpWord } from '../../domain/device-address.ts';
import { orderOf, type Portal, quarantineOf, type SessionRecord, timeOf } from '../../domain/session.ts';

/** Texts by names in lower case without separators: `nas_port_type` and `NAS-Port-Type` are `nasporttype`. */
export type Texts = ReadonlyMap<string, string>;

/**
 * Reads the record of a session, whose names are Cisco ISE's (Session/MACAddress of its monitoring API).
 * @param assigned the attributes of the NAC's response to the switch
 */
export function readRecord(texts: Texts, assigned: Texts): SessionRecord {
  return { ...readDecision(texts, assigned), ...readPlace(texts, assigned), ...readTimes(texts) };
}

function readDecision(texts: Texts, assigned: Texts) {
  const chaining = (texts.get('eapchainingresult') ?? '').toLowerCase(); // `user failed and machine succeeded`
  const [half] = (chaining.includes('succeeded') && /(?:user|machine) failed/.exec(chaining)) || [];
  const paths = texts.get('identitygroup')?.split(',') ?? [];
  const groups = paths.map((path) => path.slice(path.lastIndexOf(':') + 1).trim());
  const steps = texts.get('executionsteps')?.split(/[\s,]+/);
  const report = texts.get('posturereport');
  const list = textOf(/^(?!.*redirect).*acl(?:name)?$/, assigned) ?? texts.get('dacl');
  // A security group's number in hexadecimal digits, then its revision: `0010-0`.
  const [tag] = /^[0-9a-f]{1,4}(?=-\d{1,2}$)/i.exec(assigned.get('securitygrouptag') ?? '') ?? [];
  const decision = {
    passed: readPassed(texts),
    messageCode: texts.get('messagecode'),
    ancPolicy: texts.get('ancpolicy'),
    epsStatus: texts.get('epsstatus'),
    portal: readPortal(texts, assigned),
    compliance: readCompliance(texts),
    failedPolicies: report && readFailedPolicies(report),
    method: texts.get('authenticationmethod'),
    protocol: texts.get('authenticationprotocol'),
    chaining: half as SessionRecord['chaining'],
    certificateDays: readNumber(texts.get('daystoexpiry')),
    securityGroup: texts.get('ctssecuritygroup') ?? texts.get('securitygroup') ?? assigned.get('sgtname'),
    securityGroupTag: tag === undefined ? undefined : Number.parseInt(tag, 16),
    // `#ACSACL#-IP-Permit_Printers-57f6b0d3` is `Permit_Printers`.
    accessList: list?.replace(/^#ACSACL#-IP(?:v6)?-|-[0-9a-f]{8}$/gi, ''),
    authorizationProfiles: texts.get('selectedaznprofiles'),
    policySet: texts.get('isepolicysetname'),
    rule: texts.get('authorizationpolicymatchedrule'),
    endpointProfile: texts.get('endpointpolicy') ?? texts.get('endpointmatchedprofile'),
    // `User Identity Groups:Staff (day),Unknown` is `Staff (day)`.
    identityGroup: groups.filter(isKnown).join(', ') || undefined,
    failureReason: texts.get('failurereason'),
    steps,
    slow: readSlowness(texts, steps),
  };
  return { ...decision, quarantine: quarantineOf(decision) };
}

function readPassed(texts: Texts): boolean | undefined {
  const passed = readFlag(texts.get('passed'));
  const failed = readFlag(texts.get('failed'));
  const code = texts.get('messagecode') ?? '';
  if (passed !== undefined || failed !== undefined) return passed ?? !failed;
  return code === '5200' ? true : /^54\d\d$/.test(code) ? false : undefined;
}

/** `true` and `false`, in newer builds `1` and `0`. */
const readFlag = (text = '') =>
  /^(?:true|1)$/i.test(text) || (/^(?:false|0)$/i.test(text) ? false : undefined);

const readNumber = (text = '') => (/^-?\d{1,9}$/.test(text) ? Number(text) : undefined);

/** `Firewall\;Passed\;(...)\,Antivirus\;Failed\;(...)` fails `Antivirus`. */
function readFailedPolicies(report: string): string | undefined {
  const policies = report.slice(0, 20_000).matchAll(/(?:^|[,)]\s*)([^\\;,()]{1,200})\\?;\s*failed\b/gi);
  const names = Array.from(policies, ([, name = '']) => name.trim());
  return names.slice(0, 3).join(', ') || undefined;
}

/** `StepLatency=1=0;2=14031` counts in milliseconds, and numbers the execution steps from 0. */
function readSlowness(texts: Texts, codes: readonly string[] = []) {
  const steps = (texts.get('steplatency') ?? '').split(/\\?;/).map((step) => {
    const [number, latency] = step.split('=');
    return { ms: readNumber(latency) ?? 0, code: codes[Number(number)] };
  });
  const slowest = steps.reduce((one, other) => (other.ms > one.ms ? other : one));
  const whole = readNumber(texts.get('responsetime')) ?? 0;
  const ms = Math.max(slowest.ms, whole, readNumber(texts.get('totalauthenlatency')) ?? 0);
  return ms > 3000 ? { ms, step: slowest.ms > ms / 2 ? slowest.code : undefined } : undefined;
}

/** The NAC writes "Unknown" or "N/A" for missing values, and "NotApplicable" for a posture that nobody checks. */
export const isKnown = (text: string) =>
  text.length > 14 || !/^(?:|unknown|not ?applicable|n\/a|none|null|-)$/i.test(text);

function textOf(name: RegExp, texts: Texts, form = /^/): string | undefined {
  for (const [each, text] of texts) if (form.test(text) && name.test(each)) return text;
  return undefined;
}

const LINK = /^https?:\/\/[^\s,;"'}]*/i;

/** Attributes for portals differ by maker (`url-redirect`, `Arista-Captive-Portal`, `H3C-Web-URL`): the name's words decide. */
const PORTAL_NAME = /redirect|captive|portal|^(?=.*ur[li]).*(?:web|login|guest)/;

const PORTALS = { cwa: 'web login', cpp: 'posture', nsp: 'onboarding', mdm: 'device management' } as const;

/** The attributes of the NAC's response go before those of the switch's request. */
function readPortal(texts: Texts, assigned: Texts): Portal | undefined {
  const text = textOf(PORTAL_NAME, assigned, LINK) ?? textOf(PORTAL_NAME, texts, LINK);
  const [address] = LINK.exec(text ?? '') ?? [];
  if (address === undefined) return undefined;
  // Cisco ISE's page for lost and stolen devices: `/blackhole/blackhole.jsp`, later `/blacklistportal` or `/blockedportal`.
  if (/(?<!\/)\/(?:black|block)/i.test(address)) return 'blocked';
  if (/[?&]type=drw(?![\w-])/i.test(address)) return 'hotspot';
  const [, action] = /[?&]action=(cwa|cpp|nsp|mdm)(?![\w-])/i.exec(address) ?? [];
  return action ? PORTALS[action.toLowerCase() as keyof typeof PORTALS] : 'portal';
}

/** The worst first: it counts where the names of a posture differ. */
const COMPLIANCES = ['not compliant', 'pending', 'compliant'] as const;
const POSTURES = ['posturestatus', 'postureassessmentstatus', 'nacpolicycompliance'];

function readCompliance(texts: Texts) {
  const wordOf = (text = '') => text.toLowerCase().replace(/^no[nt][^a-z]*/, 'not ');
  const words = POSTURES.map((name) => wordOf(texts.get(name)));
  return COMPLIANCES.find((each) => words.includes(each));
}

function readPlace(texts: Texts, assigned: Texts) {
  // `Location#All Locations#Berlin#Floor 2` is `Berlin / Floor 2`; the root alone says nothing.
  const places = texts.get('location')?.replace(/(?:^|#)(?:Location|All Locations|)(?=#|$)/g, '');
  const [name, user] = [texts.get('networkdevicename'), texts.get('username')];
  const networkAddress =
    texts.get('nasipaddress') ?? texts.get('deviceipaddress') ?? texts.get('nasipv6address');
  const isUnlisted = name === 'DefaultNetworkDevice' || undefined;
  return {
    user: user === 'INVALID' ? undefined : user, // The NAC hides the name of an unknown user.
    certificate: texts.get('serialnumber') ?? texts.get('subjectcommonname'),
    station: texts.get('callingstationid'),
    ipAddress: readIpAddress(texts),
    networkDevice: (isUnlisted && networkAddress) ?? name ?? networkAddress,
    networkAddress,
    isUnlisted,
    port: texts.get('nasportid'),
    node: texts.get('acsserver'),
    ...readMedium(texts),
    // The NAC's network goes before the one that the switch named in its request, which may be another.
    vlan:
      assigned.get('tunnelprivategroupid') ??
      assigned.get('airespaceinterfacename') ??
      textOf(VLAN_FIELD, assigned) ??
      texts.get('vlan'),
    isVoice: assigned.get('devicetrafficclass') === 'voice' || undefined,
    location: places?.replace(/^#/, '').replaceAll('#', ' / ') || undefined,
  };
}

/** `Aruba-User-Vlan`. One for telephones is another's, and one for all that leaves a port holds a flag, too (RFC 4675). */
const VLAN_FIELD = /^(?!.*(?:egress|vo(?:ice|ip))).*vlan(?:id|name)?$/;

/** A device has several IPv6 addresses. That of the link alone, which often stands first, leads nowhere. */
function readIpAddress(texts: Texts): string | undefined {
  const all = ['framedipaddress', 'framedipv6address'].flatMap(
    (name) => texts.get(name)?.split(/[\s,]+/) ?? [],
  );
  return all.find((each) => !/^(?:0\.0\.0\.0$|fe[89ab])/i.test(each)) ?? all[0];
}

/** Reads Wi-Fi or VPN only where the record shows it; else the device is wired. Records often lack the port's type. */
function readMedium(texts: Texts) {
  // The NAC's own word, such as `WirelessMAB`, stands in for the port's type.
  const type = texts.get('nasporttype') ?? texts.get('radiusflowtype');
  const port = texts.get('nasportid') ?? '';
  const called = texts.get('calledstationid') ?? '';
  // The NAC copies the former to it, by wire and VPN too.
  const ssid = texts.get('ssid') ?? '';
  const own = ssid === '' || CALLED.test(ssid) ? undefined : ssid;
  const isField = textOf(WIFI_FIELD, texts) !== undefined || (own ?? called) !== called;
  const isWifi =
    type === undefined ? isField || /^(?:capwap|dot11radio|wlan)/i.test(port) : /wireless|^19$/i.test(type);
  const [, accessPoint, name] = CALLED.exec(called) ?? [];
  const hosts = [texts.get('networkdevicename'), texts.get('nasidentifier')].map(hostOf);
  const behind = name && !hosts.includes(hostOf(name)) ? name : undefined;
  const wifi = isWifi ? { ssid: textOf(SSID_FIELD, texts) ?? behind ?? own, accessPoint } : undefined;
  // Cisco's ASA sends them. `nas_port_type` Virtual is also a login to a switch.
  const group = texts.get('cvpn3000asapix7xtunnelgroupname');
  const isVpn = group || texts.has('cvpn3000asapix7xclienttype') || texts.has('tunnelclientendpoint');
  const vpn = isVpn ? { group, client: readIpWord(texts.get('callingstationid') ?? '') } : undefined;
  return { wifi, vpn };
}

/** A field of its own for a network's name or number: `cisco-wlan-ssid`, `Aruba-Essid-Name`, `Airespace-Wlan-Id`; no BSSID. */
const WIFI_FIELD = /wlan(?:id|(?:profile)?name|$)|(?:^e|[\W_]e?)ssid(?:name)?$/;
const SSID_FIELD = /(?:^e|[\W_]e?)ssid(?:name)?$/;

/**
 * Access points say `00-11-22-33-44-55:Corp` (RFC 3580, section 3.20) or `AP-NAME:Corp`; a name alone could be either. Wired
 * switches say the same with a name of their own, so the form alone is no Wi-Fi.
 */
const CALLED = /^((?:[0-9a-f]{2}[:-]?){5}[0-9a-f]{2}(?=:|$)|[^:]{1,200}(?=:))(?::(.*))?$/is;

const hostOf = (name?: string) => name?.toLowerCase().split('.', 1)[0];

function readTimes(texts: Texts) {
  const since = texts.get('authacstimestamp') ?? texts.get('acstimestamp');
  const status = texts.get('acctstatustype')?.toLowerCase();
  const isAccountingAlone = readPassed(texts) === undefined && since === undefined && status !== undefined;
  return {
    since,
    lastSignAt: Math.max(timeOf(since) ?? 0, timeOf(texts.get('acctacstimestamp')) ?? 0) || undefined,
    isAccountingAlone: isAccountingAlone || undefined,
    ended: status === 'stop' ? readEnd(texts, since, isAccountingAlone) : undefined,
  };
}

/** A stop ends the session with its own id, and no later one. `stopped` is unreliable: it decides if a time is missing. */
function readEnd(texts: Texts, begun = '', isAlone = false) {
  const id = texts.get('auditsessionid')?.toLowerCase();
  const stoppedId = texts.get('cpmsessionid')?.toLowerCase();
  if (id !== undefined && stoppedId !== undefined && id !== stoppedId) return undefined;
  const at = texts.get('acctacstimestamp');
  const [stop, begin] = [orderOf(at), orderOf(begun)];
  const isAlike = (timeOf(at) === undefined) === (timeOf(begun) === undefined); // With a zone, or both without.
  const isTimed = isAlike && stop !== undefined && begin !== undefined;
  const isEnded = isAlone || (isTimed ? stop >= begin : readFlag(texts.get('stopped')));
  const seconds = readNumber(texts.get('acctsessiontime'));
  return isEnded ? { at, cause: texts.get('acctterminatecause'), seconds } : undefined;
}
