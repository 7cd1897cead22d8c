import { kindOf, type MacAddress, type MacKind } from '../src/mac-address.ts';
import type { Lookup, LookupOutcome } from '../src/nac/lookup.ts';
import type { SessionRecord } from '../src/nac/record.ts';
import type { UnusableReason } from '../src/nac/session-outcome.ts';
import type { Delivery } from '../src/webhook/delivery.ts';
import type { PostOutcome } from '../src/webhook/post-outcome.ts';
import { code, lines, paragraphs, shorten } from './markdown.ts';
import { formatTime } from './time.ts';
import { sayUntrusted } from './trust-words.ts';

/** One device of a message: what the NAC said of it, or why it was not asked. */
export type DeviceAnswer = {
  address: MacAddress;
  outcome: LookupOutcome | { kind: Exclude<MacKind, 'device'> };
};

/** Looks each device up for a person; addresses that stand for no device are answered without asking. */
export function answerAll(
  addresses: readonly MacAddress[],
  person: string,
  lookUp: Lookup,
): Promise<DeviceAnswer[]> {
  return Promise.all(
    addresses.map(async (address) => {
      const kind = kindOf(address);
      return { address, outcome: kind === 'device' ? await lookUp(address, person) : { kind } };
    }),
  );
}

/** Whether the NAC was down when it was asked for this device, so that asking again can help. */
export function isPassing({ outcome }: DeviceAnswer): boolean {
  return (
    outcome.kind === 'unreachable' ||
    outcome.kind === 'timed out' ||
    (outcome.kind === 'fault' && outcome.status >= 502 && outcome.status <= 504)
  );
}

/** What the room is told: each device that has tokens, its address and then each token, literally, a line each. */
export function roomText(answers: readonly DeviceAnswer[]): string | undefined {
  const blocks = answers.flatMap(({ address, outcome }) =>
    outcome.kind === 'found' && outcome.tokens.length > 0 ? [[address, ...outcome.tokens].join('\n')] : [],
  );
  return blocks.length > 0 ? blocks.join('\n\n') : undefined;
}

/** What the room is told of an alert: every device, since nobody else would be told of those without a session. */
export function alertRoomText(answers: readonly DeviceAnswer[]): string {
  const blocks = answers.map((answer) => {
    const { address, outcome } = answer;
    if (outcome.kind !== 'found') return sayAnswer(address, outcome, (ms) => formatTime(ms, {}));
    return outcome.tokens.length > 0
      ? [address, ...outcome.tokens].join('\n')
      : `${address}: ${sayVerdict(outcome.record)}, without tokens.`;
  });
  return blocks.join('\n\n');
}

/** What the asker is told: a paragraph a device, and last what became of the post, if there was one. */
export function sayAnswers(
  answers: readonly DeviceAnswer[],
  delivery: Delivery | undefined,
  inOwnTime: FormatTime,
): string {
  return paragraphs(
    ...answers.map(({ address, outcome }) => sayAnswer(code(address), outcome, inOwnTime)),
    ...(delivery ? [sayDelivery(delivery)] : []),
  );
}

type FormatTime = (ms: number) => string;

function sayAnswer(device: string, outcome: DeviceAnswer['outcome'], formatTime: FormatTime): string {
  switch (outcome.kind) {
    case 'found':
      return sayFound(device, outcome.record, outcome.tokens);
    case 'no session':
      return `${device}: no session. The NAC knows of no current session of this device.`;
    case 'refused':
      return `${device}: credentials refused. ${sayRefused(outcome, formatTime)}`;
    case 'resting':
      return `${device}: not asked. The NAC refused the bot's credentials; to keep the account from being locked they rest until ${formatTime(outcome.until)}.`;
    case 'forbidden':
      return `${device}: not allowed. The NAC knows ${outcome.whose === 'person' ? 'your' : "the bot's"} account, but it may not read sessions (403).`;
    case 'fault':
      return `${device}: the NAC reported a fault (HTTP status ${outcome.status}).`;
    case 'unusable':
      return `${device}: the NAC's answer was not usable: ${UNUSABLE[outcome.reason]}.`;
    case 'timed out':
      return `${device}: time-out. The NAC did not answer within ${outcome.timeoutMs / 1000} s.`;
    case 'untrusted':
      return `${device}: not asked, ${sayUntrusted('the NAC', outcome.reason)}.`;
    case 'unreachable':
      return `${device}: the NAC could not be reached.`;
    case 'zero':
      return `${device}: all zeros stands for no device, so there is nothing to look up.`;
    case 'broadcast':
      return `${device}: this is the broadcast address. It stands for all devices, so there is nothing to look up.`;
    case 'multicast':
      return `${device}: this is a multicast address. It stands for a group of devices, so there is nothing to look up.`;
  }
}

function sayRefused(outcome: Extract<LookupOutcome, { kind: 'refused' }>, formatTime: FormatTime): string {
  if (outcome.whose === 'person') {
    return `The NAC does not accept your user name and password (401), so I have forgotten them. Type ${code('connect')} to give them again.`;
  }
  const rest =
    outcome.restsUntil === undefined
      ? ''
      : ` It is not asked again before ${formatTime(outcome.restsUntil)}.`;
  return `The NAC does not accept the bot's user name and password (401).${rest}`;
}

const UNUSABLE: Readonly<Record<UnusableReason, string>> = {
  'too large': 'too large (over 1 MB)',
  'too many tokens': 'its tokens are too many to post',
  'cut off': 'it was cut off before its end',
  endless: 'it had begun, but did not end in time',
  'login page': 'a login page came instead of a session',
  unknown: 'it holds no session in a form that I know',
};

function sayFound(device: string, record: SessionRecord, tokens: readonly string[]): string {
  const facts = LABELS.flatMap(([label, field]) => {
    const value = record[field];
    return value === undefined ? [] : [`${label}: ${code(shorten(value))}`];
  });
  const list = tokens.length > 0 ? ['Tokens:', ...tokens.map(code)] : ['It holds no tokens.'];
  return lines(`${device}: ${sayVerdict(record)}.`, ...facts, ...list);
}

function sayVerdict({ passed }: SessionRecord): string {
  return { true: 'connected', false: 'rejected', undefined: 'session found' }[`${passed}`];
}

const LABELS: ReadonlyArray<[string, keyof Omit<SessionRecord, 'passed'>]> = [
  ['Why', 'failureReason'],
  ['User', 'user'],
  ['IP address', 'ipAddress'],
  ['Network device', 'networkDevice'],
  ['Port', 'port'],
  ['Location', 'location'],
  ['Since', 'since'],
  ['Policy set', 'policySet'],
  ['Rule', 'rule'],
  ['Authorization', 'authorizationProfiles'],
  ['Identity group', 'identityGroup'],
  ['Endpoint profile', 'endpointProfile'],
  ['Posture', 'posture'],
  ['Method', 'method'],
  ['Protocol', 'protocol'],
];

function sayDelivery({ outcome, kept }: Delivery): string {
  if (outcome.kind === 'posted') return 'The tokens were posted to the room.';
  const fault = `The tokens were not posted to the room: ${sayPostFault(outcome)}.`;
  return kept ? `${fault} I keep trying for 24 hours.` : fault;
}

function sayPostFault(post: Exclude<PostOutcome, { kind: 'posted' }>): string {
  switch (post.kind) {
    case 'not found':
      return 'its webhook does not exist (not found)';
    case 'rejected':
      return `its webhook rejected them (HTTP status ${post.status})`;
    case 'error verdict':
      return 'its webhook answered with an error';
    case 'failed':
      return `its webhook failed (HTTP status ${post.status})`;
    case 'timed out':
      return `its webhook did not answer within ${post.timeoutMs / 1000} s (time-out)`;
    case 'untrusted':
      return `nothing was sent, ${sayUntrusted("the room's webhook", post.reason)}`;
    case 'unreachable':
      return 'its webhook could not be reached';
    case 'no verdict':
      return 'its webhook sent an answer that could not be read';
  }
}
