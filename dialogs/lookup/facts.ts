import type { Attempt } from '../../src/domain/attempts.ts';
import { type DeviceAddress, findMaker, isMacAddress } from '../../src/domain/device-address.ts';
import { isLocallyAdministered } from '../../src/domain/mac-address.ts';
import { type Cause, causeOf, causeOfSteps, codeOf } from '../../src/domain/outcome.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import { type Portal, stateOf, timeOf } from '../../src/domain/record.ts';
import { joinLines, type Line, line, shorten, toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { label, linesPart, type Part } from '../format/message.ts';
import type { DeviceAnswer } from './device-answer.ts';

export type Fact = { label: string; value: Line };

export function whereabouts(address: DeviceAddress, record: SessionRecord): Fact[] {
  const user = userOf(address, record);
  return [
    ...(user ? [{ label: 'User', value: user }] : []),
    ...known('IP address', record.ipAddress),
    ...known('Network device', record.networkDevice),
    ...known('Port', record.port),
    ...known('Wi-Fi', record.ssid),
    ...known('VLAN', record.vlan),
    ...known('Location', record.location),
  ];
}

export function sinceOf({ since }: SessionRecord, format: Format): Fact[] {
  const ms = timeOf(since);
  return ms === undefined ? known('Since', since) : [{ label: 'Since', value: [timeAndAge(ms, format)] }];
}

/** The address as switches write it (`aabb.ccdd.eeff`), to copy into their commands. */
export function switchForm(address: DeviceAddress): Fact[] {
  if (!isMacAddress(address)) return [];
  const digits = address.replaceAll(':', '').toLowerCase();
  return [{ label: 'On a switch', value: [digits.replace(/(.{4})(?=.)/g, '$1.')] }];
}

/** Who uses the device. A device without 802.1X gives its own address for a name, which says nothing. */
export function userOf(address: DeviceAddress, { user }: SessionRecord): Line | undefined {
  if (user === undefined) return undefined;
  const isOwn = user.length <= 17 && user.replace(/[:.-]/g, '').toUpperCase() === address.replaceAll(':', '');
  return isOwn ? ['MAB, no user'] : [{ foreign: shorten(user) }];
}

export function reasons(record: SessionRecord): Fact[] {
  return [
    ...(quotesReason(record) ? [] : known('Why', record.failureReason)),
    ...methodOf(record),
    ...known('Policy set', record.policySet),
    ...(record.passed === false ? [] : known('Rule', record.rule)), // A hint says which rule rejected the device.
    ...known('Authorization', record.authorizationProfiles),
    ...known('Security group', record.securityGroup),
    ...known('Downloadable ACL', record.accessList),
    ...known('Endpoint profile', record.endpointProfile),
    ...known('Identity group', record.identityGroup),
    ...known('Posture', record.posture),
  ];
}

const METHODS = new Map(Object.entries({ dot1x: '802.1X', mab: 'MAB', webauth: 'web' }));

/** How the device authenticated; the protocol tells more for 802.1X alone. */
function methodOf({ method, protocol }: SessionRecord): Fact[] {
  const words = METHODS.get(method?.toLowerCase() ?? '');
  if (words === undefined) return known('Method', method);
  const isTold = words === '802.1X' && protocol !== undefined;
  return [{ label: 'Method', value: isTold ? line`${[words]}, ${shorten(protocol)}` : [words] }];
}

export function maker(address: DeviceAddress): Fact[] {
  return isMacAddress(address) ? known('Maker', findMaker(address)) : [];
}

export function timeAndAge(ms: number, format: Format): string {
  return `${format.time(ms)} (${format.age(ms)})`;
}

export function known(label: string, foreign: string | undefined): Fact[] {
  return quoted(foreign).map((value) => ({ label, value }));
}

/** Those foreign texts that are known, each short. */
export function quoted(...texts: ReadonlyArray<string | undefined>): Line[] {
  return texts.flatMap((text) => (text === undefined ? [] : [[{ foreign: shorten(text) }]]));
}

const DAY_MS = 24 * 3_600_000;

const WORDS = {
  privateAddress: line`This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.`,
  old: line`The session is older than a day; the device may be gone by now.`,
  reused: line`The session has ended, so another device may have this IP address by now.`,
  attempts: 'Last attempts (24 hours)',
  noAttempt: line`The NAC lists no attempt in the last 24 hours.`,
  newest: 'Last attempt: ',
  rejectedBy: (rule: string) => line`The rule ${shorten(rule)} rejected the device.`,
};

export function hintsOn(answer: DeviceAnswer, now: number): Line[] {
  const { asked, address, outcome } = answer;
  if (outcome.kind !== 'found' && outcome.kind !== 'no session') return [];
  return [
    ...hintsOnSession(answer, now),
    ...(outcome.kind === 'found' && !isMacAddress(asked) && outcome.record.ended ? [WORDS.reused] : []),
    ...(isMacAddress(address) && isLocallyAdministered(address) ? [WORDS.privateAddress] : []),
  ];
}

export function hintsOnSession({ outcome }: DeviceAnswer, now: number): Line[] {
  if (outcome.kind !== 'found') return [];
  const { record } = outcome;
  const state = stateOf(record);
  const { cause, cure } = causeIn(record) ?? {};
  return [
    ...(record.passed === false || cause === undefined ? [] : [[cause]]),
    ...(cure === undefined ? [] : [[cure]]),
    ...(record.passed === false && record.rule !== undefined ? [WORDS.rejectedBy(record.rule)] : []),
    ...(state.kind === 'redirected' ? [PORTALS[state.to]] : []),
    ...(isOld(record, now) ? [WORDS.old] : []),
  ];
}

/** Whether a session that has not ended gave its last sign of life more than a day ago. */
export function isOld(record: SessionRecord, now: number): boolean {
  const { lastSignAt } = record;
  return lastSignAt !== undefined && now - lastSignAt > DAY_MS && stateOf(record).kind !== 'ended';
}

const PORTALS: Readonly<Record<Portal, Line>> = {
  'web login': line`The device reaches only a login page until somebody signs in there.`,
  posture: line`The device reaches only the posture portal until its check has passed.`,
  onboarding: line`The device reaches only the onboarding portal until it is set up.`,
  'device management': line`The device reaches only a portal until the device management has enrolled it.`,
  portal: line`The device reaches only a portal of the NAC.`,
};

/** Why the NAC rejected a device: our words, else the NAC's own, else a possible cause. Undefined if nothing is known. */
export function sayRejection(record: SessionRecord): Line | undefined {
  const { failureReason } = record;
  const cause = causeIn(record)?.cause;
  if (failureReason !== undefined) return cause === undefined ? line`${shorten(failureReason)}.` : [cause];
  return cause === undefined ? undefined : [`Possible cause: ${cause[0]?.toLowerCase()}${cause.slice(1)}`];
}

function quotesReason({ passed, failureReason }: SessionRecord): boolean {
  return passed === false && failureReason !== undefined && causeOf(failureReason) === undefined;
}

/** What the failure reason of a record means; of a rejection without a reason, what its steps mean. */
function causeIn({ passed, failureReason, steps = [] }: SessionRecord): Cause | undefined {
  return failureReason === undefined && passed === false ? causeOfSteps(steps) : causeOf(failureReason);
}

const MOST_LINES = 5;
const MOST_EXPLAINED = 2;

/** The last attempts, newest first, then what their failures mean; for the summary the newest. */
export function attemptsPart(answer: DeviceAnswer, format: Format): Part {
  const { attempts } = answer;
  const newest = sayNewest(answer, format);
  const summary = newest ? [toPlain(newest)] : [];
  if (!attempts?.length) return { ...linesPart(attempts ? [WORDS.noAttempt] : []), summary };
  const runs = runsOf(attempts).slice(0, MOST_LINES);
  const each = runs.map((run) => joinLines([openingOf(run, format, ': '), ...whereOf(answer, run)], ', '));
  const { text, elements } = linesPart([...each, ...sayCauses(answer, runs)], {}, 'None');
  return { text: [`${WORDS.attempts}:`, ...text], summary, elements: [label(WORDS.attempts), ...elements] };
}

export function sayNewest({ attempts = [] }: DeviceAnswer, format: Format): Line | undefined {
  const [run] = runsOf(attempts);
  return run && [WORDS.newest, ...openingOf(run, format, ', '), '.'];
}

/** Attempts in a row that ended in the same way at the same place. */
type Run = { newest: Attempt; oldest: Attempt; count: number };

function runsOf(attempts: readonly Attempt[]): Run[] {
  const runs: Run[] = [];
  const untimed = (attempt: Attempt) => JSON.stringify({ ...attempt, at: 0 });
  for (const attempt of attempts) {
    const last = runs.at(-1);
    if (last && untimed(last.newest) === untimed(attempt))
      Object.assign(last, { oldest: attempt, count: last.count + 1 });
    else runs.push({ newest: attempt, oldest: attempt, count: 1 });
  }
  return runs;
}

/** When, whether it passed, and why. @param afterAge our words behind the newest attempt's age */
function openingOf({ newest, oldest, count }: Run, format: Format, afterAge: string): Line {
  const { passed, at, failureReason, authorizationProfiles } = newest;
  const since = oldest.at === undefined ? '' : ` since ${format.time(oldest.at)}`;
  const times = count === 1 ? '' : ` ${format.number(count)} times${since}`;
  const when = at === undefined ? '' : `${format.age(at)}${afterAge}`;
  const why = passed ? authorizationProfiles : failureReason;
  const opening = [`${when}${passed ? 'passed' : 'failed'}${times}`];
  return why === undefined ? opening : line`${opening}, ${shorten(why)}`;
}

function whereOf({ address }: DeviceAnswer, { newest }: Run): Line[] {
  const user = userOf(address, newest);
  const isPerson = user?.some((part) => typeof part !== 'string');
  return [...(user && isPerson ? [user] : []), ...quoted(newest.networkDevice, newest.port)];
}

/** What the codes mean that the verdict does not explain. */
function sayCauses({ outcome }: DeviceAnswer, runs: readonly Run[]): Line[] {
  const told = outcome.kind === 'found' ? codeOf(outcome.record.failureReason) : undefined;
  const codes = new Set(runs.flatMap(({ newest }) => codeOf(newest.failureReason) ?? []));
  codes.delete(told ?? '');
  return [...codes]
    .flatMap((code) => {
      const { cause, cure = '' } = causeOf(code) ?? {};
      return cause === undefined ? [] : [[`${code}: ${cause} ${cure}`.trimEnd()]];
    })
    .slice(0, MOST_EXPLAINED);
}
