import { isMacAddress, isUserQuery } from '../../src/domain/device-address.ts';
import { isLocallyAdministered } from '../../src/domain/mac-address.ts';
import { type Cause, causeOf, causeOfSteps, codeOf } from '../../src/domain/outcome.ts';
import { type SessionRecord, stateOf } from '../../src/domain/record.ts';
import type { Portal } from '../../src/domain/restrictions.ts';
import type { Endpoint } from '../../src/nac/endpoints.ts';
import { joinLines, type Line, line, type Reader, shorten } from '../format/words.ts';
import { type DeviceAnswer, recordOf } from './device-answer.ts';
import { quoted } from './facts.ts';

const DAY_MS = 24 * 3_600_000;

const WORDS = {
  privateAddress: line`This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.`,
  old: line`The session is older than a day; the device may be gone by now.`,
  reused: line`The session has ended, so another device may have this IP address by now.`,
  latest: line`This is the user's latest session only. The user may have other devices.`,
  maybeHeld: line`By the name of its profile, the device may be held at a portal.`,
  neverSeen: line`The NAC has no record of it (never seen, or removed).`,
};

/** What to know beside the verdict and its reasons. */
export function hintsOn(answer: DeviceAnswer): Line[] {
  const { asked, address, outcome } = answer;
  if (outcome.kind !== 'found' && outcome.kind !== 'no session') return [];
  const { passed, method, ended } = recordOf(answer);
  const isPrivate = isMacAddress(address) && isLocallyAdministered(address);
  const isCorporate = passed && method === 'dot1x'; // The device proved who it is, so its owner knows its address.
  return [
    ...(isUserQuery(asked) ? [WORDS.latest] : []),
    ...(ended && !isMacAddress(asked) && !isUserQuery(asked) ? [WORDS.reused] : []),
    ...(isPrivate && !isCorporate ? [WORDS.privateAddress] : []),
  ];
}

/** What speaks against a device though the NAC lets it in. */
export function doubtsOn(answer: DeviceAnswer): Line[] {
  const record = recordOf(answer);
  const { passed, authorizationProfiles = '' } = record;
  const { cause, cure } = (passed === false ? undefined : causeIn(record)) ?? {};
  const isMaybeHeld = /redirect|web[-_]?auth/i.test(authorizationProfiles);
  return [
    ...[cause, cure].flatMap((words) => (words === undefined ? [] : [[words]])),
    ...(isMaybeHeld && stateOf(record).kind === 'connected' ? [WORDS.maybeHeld] : []),
  ];
}

export function hintsOnSession(answer: DeviceAnswer, reader: Reader): Line[] {
  const record = recordOf(answer);
  const state = stateOf(record);
  const { chaining, passed } = record;
  const cure = passed === false ? causeIn(record)?.cure : undefined;
  const isHalf = chaining !== undefined && passed !== false && state.kind !== 'connected';
  const isOld =
    reader.now() - (record.lastSignAt ?? Number.POSITIVE_INFINITY) > DAY_MS && state.kind !== 'ended';
  return [
    ...doubtsOn(answer),
    ...(cure === undefined ? [] : [[cure]]),
    ...(isHalf ? [[CHAINING[chaining]]] : []),
    ...(state.kind === 'redirected' ? [PORTALS[state.to]] : []),
    ...(record.slow ? [saySlowness(record.slow, reader)] : []),
    ...(isOld ? [WORDS.old] : []),
  ];
}

/** What is known of a device beside a session: the NAC's own record of it, and what the bot knew before the NAC was down. */
export function sayKnown({ endpoint, lastKnown }: DeviceAnswer, reader: Reader): Line[] {
  return [
    ...(endpoint ? [sayEndpoint(endpoint)] : []),
    ...(lastKnown ? [line`${[`At ${reader.clock(lastKnown.at)} it was `]}${lastKnown.said}.`] : []),
  ];
}

function sayEndpoint(endpoint: Endpoint): Line {
  if (endpoint.kind === 'not known') return WORDS.neverSeen;
  const { group, isStatic, registeredBy, description } = endpoint;
  const facts = [
    ...quoted(group).map((name) => line`group ${name}${[isStatic ? ' (static)' : '']}`),
    ...quoted(registeredBy).map((name) => line`registered by ${name}`),
    ...quoted(description),
  ];
  return facts.length > 0 ? line`The NAC knows it: ${joinLines(facts, ', ')}.` : ['The NAC knows it.'];
}

/** The stores that the NAC asks, by the first three digits of its steps. Source: Cisco ISE's message catalogue. */
const STORES: Readonly<Record<string, string>> = {
  240: 'LDAP',
  242: "the NAC's own store",
  243: 'Active Directory',
  244: 'Active Directory',
};

function saySlowness({ ms, step }: NonNullable<SessionRecord['slow']>, reader: Reader): Line {
  const took = [`The authentication took ${reader.number(Math.round(ms / 100) / 10)} s`];
  if (step === undefined) return [...took, '.'];
  const store = STORES[step.slice(0, 3)];
  return line`${took}, most of it in step ${shorten(step)}${[store ? ` (${store})` : '']}.`;
}

/** Which half of a chained authentication failed. */
export const CHAINING = {
  'user failed': 'The machine passed, but no user did: nobody is logged in there, or the login failed.',
  'machine failed': 'The user passed, but the machine failed.',
};

const PORTALS: Readonly<Record<Portal, Line>> = {
  'web login': line`The device reaches only a login page until somebody signs in there.`,
  posture: line`The device reaches only the posture portal until its check has passed.`,
  onboarding: line`The device reaches only the onboarding portal until it is set up.`,
  'device management': line`The device reaches only a portal until the device management has enrolled it.`,
  portal: line`The device reaches only a portal of the NAC.`,
  blocked: line`The device is on the NAC's list of blocked devices (lost or stolen), and reaches only a page that says so.`,
};

/** Why the NAC rejected a device: our words, else the NAC's own, else a possible cause; then by which quarantine and rule. */
export function sayRejection(record: SessionRecord): Line {
  const { rule, quarantine } = record;
  const by = quarantine?.by === rule ? undefined : quarantine?.by;
  // Policies reject a device for what it is. Then the rule says more than the cause.
  const isByPolicy = rule !== undefined && codeOf(record.failureReason) === '15039';
  const said = [
    ...(isByPolicy ? [] : sayReason(record)),
    ...quoted(by).map((name) => line`Quarantined by ${name}.`),
    ...quoted(rule).map((name) => line`Rule ${name}.`),
  ];
  return joinLines(said, ' ');
}

function sayReason(record: SessionRecord): Line[] {
  const { failureReason } = record;
  const { cause } = causeIn(record) ?? {};
  if (cause === undefined) return quoted(failureReason).map((reason) => line`${reason}.`);
  if (failureReason === undefined) return [[`Possible cause: ${cause[0]?.toLowerCase()}${cause.slice(1)}`]];
  return [[cause.replace(/\.$/, ` (${codeOf(failureReason)}).`)]];
}

/** What the failure reason of a record means; of a rejection without a reason, what its steps mean. */
function causeIn({ passed, failureReason, steps = [] }: SessionRecord): Cause | undefined {
  return failureReason === undefined && passed === false ? causeOfSteps(steps) : causeOf(failureReason);
}
