import { type DeviceAddress, isMacAddress, isUserQuery } from '../../src/domain/device-address.ts';
import { findMaker } from '../../src/domain/mac-address.ts';
import { type DeviceOutcome, groupOf, lookupName } from '../../src/domain/outcome.ts';
import { type Attempt, hasFailed, type SessionRecord, stateOf, timeOf } from '../../src/domain/session.ts';
import type { Endpoint } from '../../src/nac/endpoints.ts';
import type { Delivery } from '../../src/webhook/sender.ts';
import { type Formatter, joinLines, type Line, line, named, shorten, text } from './words.ts';

/** A device as it was asked for. `address`: its own MAC address if it is known, else equal to `asked`. */
export type AskedDevice = { asked: DeviceAddress; address: DeviceAddress };
/** One device of a message, with the lookup's outcome. */
export type DeviceAnswer = AskedDevice & {
  outcome: DeviceOutcome;
  /** The device's last attempts within 24 hours, newest first; undefined if they are not known. */
  attempts?: readonly Attempt[];
  /** The device's own record in the NAC, if it has no session; undefined: not known. */
  endpoint?: Endpoint;
  /** The last answer of this process, if the NAC is down now. */
  lastKnown?: RecentLookup | undefined;
  /** The NAC has no active session at all, so it may see nothing. */
  isNobodySeen?: true;
  /** The number of tokens that have no place in the answer; undefined: none. */
  tokensLeftOut?: number;
};
export type Answers = readonly DeviceAnswer[];

/** `said`: verdict, user and place, with untrusted text. `at`: milliseconds since 1970. */
export type RecentLookup = AskedDevice & { verdict: string; said: Line; at: number };

/** The session's record; empty without a session. */
export const recordOf = ({ outcome }: DeviceAnswer): SessionRecord =>
  outcome.kind === 'found' ? outcome.record : {};

export const tokensOf = ({ outcome }: DeviceAnswer): readonly string[] =>
  outcome.kind === 'found' ? outcome.tokens : [];

/** The number of a session's tokens, with those that have no place in the answer. */
export const countTokens = (answer: DeviceAnswer) => tokensOf(answer).length + (answer.tokensLeftOut ?? 0);

/** The device's own address, with the IP address or the user that it was asked for by. */
export const nameOf = (answer: AskedDevice): Line => [...line`${answer.address}`, ...askedText(answer)];

/** Continues after an address: the IP address or the user that it was asked for by. */
export const askedText = ({ asked, address }: AskedDevice): Line =>
  asked === address ? [] : line` ${[asked.startsWith('user ') ? 'of' : 'at']} ${asked}`;

export const isOwn = ({ outcome }: DeviceAnswer) => 'whose' in outcome && outcome.whose === 'person';

const ACCOUNTS = {
  person: 'Asked under your own account.',
  'stand-in': "Asked under the bot's account, because own ones cannot be read now.",
};

/** The account that the NAC was asked under, unless it is simply the bot's. */
export function accountText(answers: Answers): string[] {
  const texts = new Set<string>();
  for (const { outcome } of answers)
    if ('whose' in outcome && outcome.whose) texts.add(ACCOUNTS[outcome.whose]);
  return [...texts];
}

/** Whether an address is that of one device, not of all, several or none. */
export const isDevice = ({ outcome }: DeviceAnswer) => outcome.kind !== 'no device';

/** Whether the NAC was down for this device, so that a later lookup can succeed. */
export function isTransient({ outcome }: DeviceAnswer): boolean {
  if (outcome.kind === 'fault') return outcome.status >= 502 && outcome.status <= 504;
  return ['unreachable', 'timed out', 'paused'].includes(lookupName(outcome));
}

/** The last answer of a job: `paused` becomes `given up`, because the bot does not try again. */
export function giveUp(answer: DeviceAnswer): DeviceAnswer {
  return answer.outcome.kind === 'paused' ? { ...answer, outcome: { kind: 'given up' } } : answer;
}

export const reportText = (number: number) => `Report number ${number}. Tell it to the bot's operator.`;

/** The number of the lookup's audit lines, if an operator has something to look into; else empty. */
export function numberText(number: number, answers: Answers, delivery?: Delivery): string[] {
  const isPostTaken = delivery === undefined || ['posted', 'under way'].includes(delivery.outcome.kind);
  // Time alone, or the asker, helps with the others.
  const isForOperator = answers.some(({ outcome }) => {
    if (outcome.kind === 'refused') return outcome.whose !== 'person';
    if (outcome.kind === 'busy' || outcome.kind === 'disconnected') return false;
    return groupOf(outcome) === 'not known';
  });
  return isPostTaken && !isForOperator ? [] : [reportText(number)];
}

/** Counts the tokens that were left out, and names the command that shows them; else empty. */
export function leftOutText(answers: Answers): string[] {
  const first = answers.find(({ tokensLeftOut }) => tokensLeftOut);
  if (first === undefined) return [];
  const count = answers.reduce((sum, { tokensLeftOut = 0 }) => sum + tokensLeftOut, 0);
  const tokens = count === 1 ? '1 token is' : `${count} tokens are`;
  // A card reads this as markdown, and a user's name is untrusted.
  const command = isUserQuery(first.address) ? 'fields' : `fields ${first.address}`;
  return [`${tokens} left out here; ${command} shows what the NAC says.`];
}

/** `isDetail`: a card shows it behind its button "More" alone. */
export type Fact = readonly [label: string, value: Line, isDetail?: boolean];

const TERMINAL_LINE = /^(?:tty|vty|con|aux|console)\s?\d*$/i;

/** Returns a device's facts in order: user, place, begin, kind of device, the NAC's decision. */
export function listFacts(answer: DeviceAnswer, formatter: Formatter): Fact[] {
  const record = recordOf(answer);
  const { wifi, vpn, port, vlan, since, rule, securityGroup, securityGroupTag: tag } = record;
  const user = userText(answer.address, record);
  // Without an answer of a DHCP server, a device has no address, or one of 169.254.0.0/16 (RFC 3927).
  const isUnleased = /^(?:169\.254\.|0\.0\.0\.0$)/.test(record.ipAddress ?? '');
  const tunnel = joinLines([text(vpn?.group), named('client ', vpn?.client)], ', ');
  // User and profile say more of a device than its maker.
  const isKnown = record.endpointProfile !== undefined || typeof user[0] === 'object';
  const protocol = /EAP/i.test(record.protocol ?? '') && text(record.protocol); // Others repeat the method.
  const number = tag !== undefined && (securityGroup === undefined ? `${tag}` : `(${tag})`);
  // A rejection's verdict names the rule already, and that of a failed posture its policies.
  const ruleText = !hasFailed(record) && text(rule);
  const facts: Fact[] = [
    ['User', user],
    ['IP address', joinLines([text(record.ipAddress), isUnleased && '(no DHCP address)'], ' ')],
    [wifi ? 'Wireless controller' : 'Network device', networkDeviceText(record)],
    TERMINAL_LINE.test(port ?? '')
      ? ['Login', named('terminal line ', port)]
      : [wifi ? 'Interface' : 'Port', text(port)],
    ['Wi-Fi', wifi ? text(wifi.ssid ?? 'yes') : []],
    ['Access point', text(wifi?.accessPoint), true],
    ['VPN', vpn && tunnel.length === 0 ? ['yes'] : tunnel],
    ['VLAN', text(vlan)],
    ['Voice domain', record.isVoice ? ['yes'] : []],
    ['Location', text(record.location), true],
    ['Since', since === undefined ? [] : timeText(since, formatter)],
    ['Maker', isMacAddress(answer.address) ? text(findMaker(answer.address)) : [], isKnown],
    ['Method', joinLines([methodName(record), protocol], ', '), true],
    ['Policy', joinLines([text(record.policySet), ruleText, text(record.authorizationProfiles)], ', ')],
    ['Security group', joinLines([text(securityGroup), number], ' '), true],
    ['Access list', text(record.accessList), true],
    ['Profile', joinLines([text(record.endpointProfile), named('group ', record.identityGroup)], ', '), true],
    ['Posture', text(record.compliance), true],
    ['Failed policies', stateOf(record) === 'not compliant' ? [] : text(record.failedPolicies)],
  ];
  return facts.filter(([, value]) => value.length > 0);
}

/** `TwentyFiveGigE1/0/1`: Cisco's switches shorten their interfaces' names to these letters, others' names stay. */
const INTERFACE =
  /^(Te(?=n)|Twe(?=nty)|Tw(?=oGig)|Fi(?=ve)|Fo(?=rty)|Hu(?=ndred)|Gi|Fa(?=st))[a-z]{0,20}(?:GigE|Ethernet)(?=\d)/i;

/** The place in a few words: the network device with its port, if it is wired (`sw-floor2-17 Gi1/0/15`), then Wi-Fi or VPN. */
export function placeText({ networkDevice = '', port = '', wifi, vpn }: SessionRecord): Line {
  const socket = wifi || vpn ? '' : port.replace(INTERFACE, '$1');
  const place = `${shorten(networkDevice)} ${shorten(socket)}`.trim();
  const tunnel = vpn && joinLines(['VPN', text(vpn.group)], ' ');
  return joinLines([place !== '' && line`${place}`, text(wifi?.ssid), tunnel], ', ');
}

/** User and place in a few words. Without a session, both are unknown. */
export function whoAndWhere(answer: DeviceAnswer): Line {
  const record = recordOf(answer);
  return joinLines([userText(answer.address, record), placeText(record)], ', ');
}

/** By MAB, a device's own address is its user name, which is no user. A certificate can bear that name, too. */
export function userText(address: DeviceAddress, { user = '', method, protocol }: SessionRecord): Line {
  const isMab = method?.toLowerCase() === 'mab' || protocol === 'Lookup';
  const isOwnName =
    user.length <= 17 && user.replace(/[:.-]/g, '').toUpperCase() === address.replaceAll(':', '');
  return isMab && isOwnName ? ['MAB, no user'] : text(user || undefined);
}

function networkDeviceText({ networkDevice, networkAddress, isUnlisted }: SessionRecord): Line {
  if (isUnlisted) return line`${text(networkDevice)} (not defined in the NAC)`;
  const isNamed = networkAddress !== undefined && networkAddress !== networkDevice;
  return isNamed ? line`${text(networkDevice)} (${shorten(networkAddress)})` : text(networkDevice);
}

const METHODS = new Map(Object.entries({ dot1x: '802.1X', mab: 'MAB', webauth: 'web' }));

/** Our word for a method, else the NAC's own. */
export function methodName({ method }: SessionRecord): Line {
  const words = METHODS.get(method?.toLowerCase() ?? '');
  return words === undefined ? text(method) : [words];
}

/** A time of the NAC; one without a zone as it was written, because nobody knows when that was. */
export function timeText(written: string, formatter: Formatter): Line {
  const ms = timeOf(written);
  return ms === undefined
    ? line`${shorten(written)} (as the NAC wrote it, without a time zone)`
    : [timeAndAge(ms, formatter)];
}

export const timeAndAge = (ms: number, formatter: Formatter) =>
  `${formatter.time(ms)} (${formatter.age(ms)})`;
