import { isMacAddress, isUserQuery } from '../../src/domain/device-address.ts';
import { isLocallyAdministered } from '../../src/domain/mac-address.ts';
import { findHypervisor } from '../../src/domain/maker.ts';
import { hasFailed, type SessionRecord, stateOf } from '../../src/domain/session.ts';
import type { Endpoint } from '../../src/nac/endpoints.ts';
import type { Tone } from './card.ts';
import { accountText, type DeviceAnswer, nameOf, recordOf, tokensOf } from './device.ts';
import { commandFor, type Fact, listFacts, quoted } from './facts.ts';
import { historyOf } from './history.ts';
import { CHAINING, reasonOf, verdictOf } from './verdict.ts';
import { joinLines, type Line, line, type Reader, shorten } from './words.ts';

/** Everything that card, text and the room's post show about one device. */
export type Description = {
  name: Line;
  /** The account, if not the bot's; continues after the name or the heading. */
  account: string;
  /** The verdict, without untrusted text. */
  words: string;
  /** The verdict with the ANC policy or EPS status of the device. */
  heading: Line;
  tone: Tone;
  reason: Line;
  /** The advice. */
  next: Line;
  /** Remarks on the session, and on the address, one a line. */
  hints: readonly Line[];
  addressHints: readonly Line[];
  facts: readonly Fact[];
  /** The last attempts, newest first, then the meaning of their codes. Empty if the reason covers them. */
  history: readonly Line[];
  /** For a switch's command line. */
  command: string | undefined;
  tokens: readonly string[];
};

export function describe(answer: DeviceAnswer, reader: Reader): Description {
  const record = recordOf(answer);
  const verdict = verdictOf(answer);
  const { words, heading, tone, doubts, next } = verdict;
  const history = historyOf(answer, reader);
  const advice = [next, history.next].flatMap((words) => (words === undefined ? [] : [[words]]));
  return {
    name: nameOf(answer),
    account: accountText(answer),
    words,
    heading,
    tone,
    reason: reasonOf(verdict, reader),
    next: joinLines(advice, ' '),
    hints: [
      ...doubts,
      ...remarksOn(record, reader),
      ...knownTexts(answer, reader),
      ...(history.told ? [history.told] : []),
    ],
    addressHints: addressHints(answer),
    facts: listFacts(answer, reader),
    history: history.listed,
    command: commandFor(answer),
    tokens: tokensOf(answer),
  };
}

export const explanationText = ({ reason, next }: Description) => joinLines([reason, next], ' ');

/** The first line about a device: its name, the verdict, and the reason. */
export function firstLine(name: Line, heading: Line, why: Line = []): Line {
  return line`${name}: ${heading}.${why.length > 0 ? line` ${why}` : []}`;
}

const DAY_MS = 24 * 3_600_000;
const OLD = line`The session is older than a day; the device may be gone by now.`;
const REUSED = line`The session has ended, so another device may have this IP address by now.`;
const LATEST = line`This is the user's latest session only. The user may have other devices.`;
const PRIVATE = line`This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.`;

function remarksOn(record: SessionRecord, reader: Reader): Line[] {
  const { chaining, slow, lastSignAt = Number.POSITIVE_INFINITY } = record;
  const { kind } = stateOf(record);
  const isHalf = chaining !== undefined && !hasFailed(record) && kind !== 'connected';
  const isOld = reader.now() - lastSignAt > DAY_MS && kind !== 'ended';
  return [
    ...(isHalf ? [[CHAINING[chaining]]] : []),
    ...(slow ? [slownessText(slow, reader)] : []),
    ...(isOld ? [OLD] : []),
  ];
}

/** Identity stores by the first three digits of a step. Source: Cisco ISE's message catalogue. */
const STORES: Readonly<Record<string, string>> = {
  240: 'LDAP',
  242: "the NAC's own store",
  243: 'Active Directory',
  244: 'Active Directory',
};

function slownessText({ ms, step }: NonNullable<SessionRecord['slow']>, reader: Reader): Line {
  const took = [`The authentication took ${reader.number(Math.round(ms / 100) / 10)} s`];
  if (step === undefined) return [...took, '.'];
  const store = STORES[step.slice(0, 3)];
  return line`${took}, most of it in step ${shorten(step)}${[store ? ` (${store})` : '']}.`;
}

function knownTexts({ endpoint, lastKnown }: DeviceAnswer, reader: Reader): Line[] {
  return [
    ...(endpoint ? [endpointText(endpoint)] : []),
    ...(lastKnown ? [line`${[`At ${reader.clock(lastKnown.at)} it was `]}${lastKnown.said}.`] : []),
  ];
}

function endpointText(endpoint: Endpoint): Line {
  if (endpoint.kind === 'not known') return ['The NAC has no record of it (never seen, or removed).'];
  const { group, isStatic, registeredBy, description } = endpoint;
  const facts = [
    ...quoted(group).map((name) => line`group ${name}${[isStatic ? ' (static)' : '']}`),
    ...quoted(registeredBy).map((name) => line`registered by ${name}`),
    ...quoted(description),
  ];
  return facts.length > 0 ? line`The NAC knows it: ${joinLines(facts, ', ')}.` : ['The NAC knows it.'];
}

function addressHints(answer: DeviceAnswer): Line[] {
  const { asked, address, outcome } = answer;
  if (outcome.kind !== 'found' && outcome.kind !== 'no session') return [];
  const { passed, method, ended } = recordOf(answer);
  const isPrivate = isMacAddress(address) && isLocallyAdministered(address) && !findHypervisor(address);
  const isCorporate = passed && method === 'dot1x'; // The device proved who it is, so its owner knows its address.
  return [
    ...(isUserQuery(asked) ? [LATEST] : []),
    ...(ended && !isMacAddress(asked) && !isUserQuery(asked) ? [REUSED] : []),
    ...(isPrivate && !isCorporate ? [PRIVATE] : []),
  ];
}
