import { isMacAddress } from '../../src/domain/device-address.ts';
import { hasFailed, stateOf } from '../../src/domain/session.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import * as card from './card.ts';
import { type Description, describe, firstLine } from './describe.ts';
import {
  accountText,
  ageText,
  countTokens,
  type DeviceAnswer,
  type Fact,
  isDevice,
  nameOf,
  recordOf,
  tokensOf,
  whoAndWhere,
} from './device.ts';
import { type Message, messageOf } from './message.ts';
import { capitalised, code, type Formatter, joinLines, type Line, toMarkdown, toPlain } from './words.ts';

const WORDS = {
  tokens: 'Tokens',
  noTokens: 'The session holds no tokens to post.',
  history: 'Last attempts (24 hours)',
  command: 'On a switch',
  lookUpAgain: 'Look up again',
  showAll: 'All fields',
  nac: 'Open in the NAC',
  watch: 'Tell me when it connects',
};

/** The end of a message, after its devices. */
export type Closing = {
  /** Our sentences. */
  ending: readonly string[];
  /** The result of the room's post; undefined: there was none. */
  delivery?: Delivery | undefined;
  /** The change since the message's last version, if a press edited it. */
  change?: Line | undefined;
  /** The state in its button, by which a press edits it. */
  was?: object | undefined;
  /** Whether the card shows a single device like one of several, because an alert's head stands above it. */
  isBrief?: boolean;
};

/** The answer for one device, as text, notification and card. */
export function deviceMessage(answer: DeviceAnswer, closing: Closing, formatter: Formatter): Message {
  const { delivery, change, was, ending, isBrief = false } = closing;
  const described = describe(answer, formatter);
  const isFound = answer.outcome.kind === 'found';
  const note = isFound && countTokens(answer) === 0 ? [WORDS.noTokens] : [];
  // More would not fit on a phone. Tokens that the room lacks replace the facts.
  const isPosted = delivery === undefined || delivery.outcome.kind === 'posted' || delivery.isQueued;
  const tokens = tokenElements(tokensOf(answer));
  const { facts, history } = described;
  const isShown = ([, , isDetail]: Fact) => isPosted && !isBrief && !isDetail;
  const command = commandFor(answer);
  const more = [
    ...rowsOf(facts.filter((fact) => !isShown(fact))),
    ...(command === undefined ? [] : [card.label(WORDS.command), ...card.codeLines([command])]),
    ...(history.length > 0 ? [card.label(WORDS.history), ...card.lineElements(history, {}, 'None')] : []),
    ...(isPosted ? tokens : []),
  ];
  const shown = isPosted ? rowsOf(facts.filter(isShown)) : tokens;
  const about = {
    text: [...textLines(answer, described), ...note],
    summary: summaryLines(answer, described, formatter),
    elements: [...cardTop(answer, described, shown, isBrief), ...note.map(card.note)],
  };
  return messageOf(
    [about, ...(change ? [card.linesPart([change], {}, 'Default')] : []), ...ending.map(card.notePart)],
    [
      ...(isDevice(answer) ? [card.button(WORDS.lookUpAgain, 'lookup', answer.asked, was)] : []),
      ...watchButton([answer], formatter),
      ...nacButton(answer, formatter),
      ...card.moreButton(more, isFound ? [card.button(WORDS.showAll, 'fields', answer.address)] : []),
    ],
  );
}

function textLines(answer: DeviceAnswer, described: Description): string[] {
  const { heading, explanation, hints, addressHints, facts, history } = described;
  const tokens = tokensOf(answer);
  const lines: Line[] = [
    firstLine(nameOf(answer), [...heading, accountText(answer)], explanation),
    ...hints,
    ...facts.map(([label, value]) => [`${label}: `, ...value]),
    ...addressHints,
    ...(history.length > 0 ? [[`${WORDS.history}:`], ...history] : []),
  ];
  return [...lines.map(toMarkdown), ...(tokens.length > 0 ? [`${WORDS.tokens}:`, ...tokens.map(code)] : [])];
}

/** A lock screen shows the first words alone. */
function summaryLines(answer: DeviceAnswer, described: Description, formatter: Formatter): string[] {
  const { heading, reason, hints } = described;
  const name = [...nameOf(answer), accountText(answer)];
  const where = joinLines([whoAndWhere(answer), ageText(answer, formatter), name], ', ');
  const first = joinLines([[...heading, '.'], reason, where], ' ');
  return [toPlain(first), ...hints.map(toPlain), ...tokensOf(answer)];
}

/** @param shown facts or tokens */
function cardTop(
  answer: DeviceAnswer,
  described: Description,
  shown: readonly card.Element[],
  isBrief: boolean,
): card.Element[] {
  const { heading, tone, explanation, hints, addressHints } = described;
  const address = addressLine(answer);
  const title = [...card.runs(capitalised([...heading, ' ']), { weight: 'Bolder' }), ...address];
  const brief = card.runs(joinLines([explanation, ...hints, whoAndWhere(answer)], ' '));
  const whole = [
    card.toned(tone, card.lineHeading(heading)),
    card.richText(address),
    ...card.lineElements(explanation.length > 0 ? [explanation, ...hints] : hints),
  ];
  return [
    ...(isBrief ? [card.toned(tone, [card.richText(title), card.richText(brief, 'None')])] : whole),
    ...shown,
    ...card.lineElements(addressHints),
  ];
}

function rowsOf(facts: readonly Fact[]): card.Element[] {
  const items = facts.map(([label, value]) => card.row([label], value));
  return items.length > 0 ? [{ type: 'Container', spacing: 'Small', items }] : [];
}

const tokenElements = (tokens: readonly string[]) =>
  tokens.length > 0 ? [card.label(WORDS.tokens), ...card.codeLines(tokens)] : [];

/** The next command on the switch, to copy: about the session if there is a wired one. None on Wi-Fi and VPN. */
function commandFor(answer: DeviceAnswer): string | undefined {
  const { address, outcome } = answer;
  const { wifi, vpn } = recordOf(answer);
  if (!isDevice(answer) || !isMacAddress(address) || wifi || vpn) return undefined;
  const digits = address.replaceAll(':', '').toLowerCase();
  const mac = digits.replace(/(.{4})(?=.)/g, '$1.');
  return outcome.kind === 'found'
    ? `show authentication sessions mac ${mac} details`
    : `show mac address-table address ${mac}`;
}

/** The card's line that names the device; it says so if the person's own account was used. */
export function addressLine(answer: DeviceAnswer): card.Element[] {
  const name = card.addressRuns(answer.address, answer.asked);
  const account = accountText(answer);
  return account === '' ? name : [...name, ...card.runs([account], { isSubtle: true })];
}

/** The button to the NAC's own page for a device. A link's path, query and fragment may hold colons (RFC 3986, section 3.3). */
export function nacButton(answer: DeviceAnswer, { nacLink }: Formatter): card.Element[] {
  if (nacLink === undefined || !isDevice(answer) || !isMacAddress(answer.address)) return [];
  return [card.linkButton(WORDS.nac, new URL(nacLink.replaceAll('{mac}', answer.address)).href)];
}

const MAX_WATCHED = 5;

/** Offers to watch the first devices without a session, and those that the NAC keeps out or waiting. */
export function watchButton(answers: readonly DeviceAnswer[], { canWatch }: Formatter): card.Element[] {
  const addresses = canWatch ? answers.filter(isWaitedFor).map(({ address }) => address) : [];
  if (addresses.length === 0) return [];
  const text = `tell me when ${addresses.slice(0, MAX_WATCHED).join(' ')} connects`;
  return [card.button(WORDS.watch, 'watch', text)];
}

/** An answer about a device that is still watched. */
export function withStop(message: Message, address: string): Message {
  const actions = (message.card?.actions ?? []) as ReadonlyArray<{ data?: { dialog?: unknown } }>;
  const others = actions.filter(({ data }) => data?.dialog !== 'watch');
  return {
    ...message,
    card: { ...message.card, actions: [...others, card.button('Stop', 'unwatch', address)] },
  };
}

function isWaitedFor({ address, outcome }: DeviceAnswer): boolean {
  if (!isMacAddress(address) || outcome.kind !== 'found')
    return isMacAddress(address) && outcome.kind === 'no session';
  const state = stateOf(outcome.record);
  if (state.kind === 'redirected') return state.to !== 'blocked';
  return state.kind === 'ended' || hasFailed(outcome.record);
}
