import { isMacAddress } from '../../src/domain/device-address.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { type Description, describe, firstLine, verdictOf, worstFirst } from './describe.ts';
import {
  accountSuffix,
  countTokens,
  type DeviceAnswer,
  isDevice,
  isTransient,
  leftOutText,
  placeText,
  recordOf,
  tokensOf,
  whoAndWhere,
} from './device.ts';
import { postFaultText } from './faults.ts';
import { type Closing, type Devices, devicesMessage, headline } from './many-devices.ts';
import * as card from './message.ts';
import {
  capitalised,
  code,
  type Formatter,
  joinLines,
  type Line,
  line,
  paragraphs,
  toMarkdown,
  toPlain,
  toRoom,
} from './words.ts';

const WORDS = {
  tokens: 'Tokens',
  noTokens: 'The session holds no tokens to post.',
  history: 'Last attempts (24 hours)',
  command: 'On a switch',
  lookUpAgain: 'Look up again',
  showAll: 'All fields',
  again: 'Please look up again in a minute.',
  asking: 'Still asking the NAC; the answer will come here.',
  posting: 'I am still posting to the room.',
};

/** The answer in chat. `notes`: our sentences at its end. `shown` lets a press of "Look up again" edit the message. */
export function renderAnswer(
  answers: readonly DeviceAnswer[],
  delivery: Delivery | undefined,
  formatter: Formatter,
  notes: readonly string[] = [],
  shown?: Pick<Closing, 'state' | 'change' | 'isUnderAlert'>,
): card.Message {
  const posted = delivery ? [deliveryText(delivery)] : [];
  const closing = { ...shown, delivery, notes: [...posted, ...notes, ...leftOutText(answers)] };
  const [only, ...others] = answers;
  return only !== undefined && others.length === 0
    ? deviceMessage(only, closing, formatter)
    : devicesMessage({ answers, waiting: [] }, closing, formatter);
}

/** The answer for one device, as text, notification and card. */
function deviceMessage(answer: DeviceAnswer, closing: Closing, formatter: Formatter): card.Message {
  const { delivery, change, state, notes, isUnderAlert = false } = closing;
  const described = describe(answer, formatter);
  const isFound = answer.outcome.kind === 'found';
  const note = isFound && countTokens(answer) === 0 ? [WORDS.noTokens] : [];
  // More would not fit on a phone. Tokens that the room lacks replace the facts.
  const isPosted = delivery === undefined || delivery.outcome.kind === 'posted' || delivery.isQueued;
  const [atOnce, hidden]: [card.Element[], card.Element[]] = [[], []];
  for (const [label, value, isDetail] of described.facts)
    (isPosted && !isUnderAlert && !isDetail ? atOnce : hidden).push(card.row([label], value));
  const tokenRows = section(WORDS.tokens, card.codeLines(tokensOf(answer)));
  const more = [
    ...rows(hidden),
    ...section(WORDS.command, card.codeLines(commandsFor(answer))),
    ...section(WORDS.history, card.linesPart(described.history, {}, 'None').elements),
    ...(isPosted ? tokenRows : []),
  ];
  const shown = isPosted ? rows(atOnce) : tokenRows;
  const about = {
    text: [...textLines(answer, described), ...note],
    summary: summaryLines(answer, described),
    elements: [...cardTop(answer, described, shown, isUnderAlert), ...note.map((words) => card.note(words))],
  };
  return card.messageOf(
    [about, ...(change ? [card.linesPart([change], {}, 'Default')] : []), ...notes.map(card.notePart)],
    [
      ...(isDevice(answer) ? [card.button(WORDS.lookUpAgain, 'lookup', answer.asked, state)] : []),
      ...card.watchButton([answer], formatter),
      ...card.nacButton(answer, formatter),
      ...card.moreButton(more, isFound ? [card.button(WORDS.showAll, 'fields', answer.address)] : []),
    ],
  );
}

const section = (title: string, elements: readonly card.Element[]) =>
  elements.length > 0 ? [card.note(title, 'Bolder'), ...elements] : [];

const rows = (items: readonly card.Element[]) =>
  items.length > 0 ? [{ type: 'Container', spacing: 'Small', items }] : [];

function textLines(answer: DeviceAnswer, described: Description): string[] {
  const { name, account, heading, explanation, hints, addressHints, facts, history } = described;
  const tokens = tokensOf(answer);
  const lines: Line[] = [
    firstLine(name, [...heading, accountSuffix(account)], explanation),
    ...hints,
    ...facts.map(([label, value]) => [`${label}: `, ...value]),
    ...addressHints,
    ...(history.length > 0 ? [[`${WORDS.history}:`], ...history] : []),
  ];
  return [...lines.map(toMarkdown), ...(tokens.length > 0 ? [`${WORDS.tokens}:`, ...tokens.map(code)] : [])];
}

/** A lock screen shows the first words alone. */
function summaryLines(answer: DeviceAnswer, described: Description): string[] {
  const { name, account, heading, reason, where, hints } = described;
  const first = [[...heading, '.'], reason, joinLines([where, [...name, accountSuffix(account)]], ', ')];
  return [toPlain(joinLines(first, ' ')), ...hints.map(toPlain), ...tokensOf(answer)];
}

/** @param shown facts or tokens */
function cardTop(
  answer: DeviceAnswer,
  { account, heading, tone, explanation, hints, addressHints }: Description,
  shown: readonly card.Element[],
  isUnderAlert: boolean,
): card.Element[] {
  const address = card.addressRuns(answer, accountSuffix(account));
  const rest = [...shown, ...card.linesPart(addressHints).elements];
  if (isUnderAlert) {
    const title = [...card.runs(capitalised([...heading, ' ']), { weight: 'Bolder' }), ...address];
    const why = card.runs(joinLines([explanation, ...hints, whoAndWhere(answer)], ' '));
    return [card.toned(tone, [card.richText(title), card.richText(why, 'None')]), ...rest];
  }
  const why = card.linesPart(explanation.length > 0 ? [explanation, ...hints] : hints).elements;
  return [card.toned(tone, card.lineHeading(heading)), card.richText(address), ...why, ...rest];
}

/** The next command on the switch, to copy: about the session if there is a wired one. None on Wi-Fi and VPN. */
function commandsFor(answer: DeviceAnswer): string[] {
  const { address, outcome } = answer;
  const { wifi, vpn } = recordOf(answer);
  if (!isDevice(answer) || !isMacAddress(address) || wifi || vpn) return [];
  const digits = address.replaceAll(':', '').toLowerCase();
  const mac = digits.replace(/(.{4})(?=.)/g, '$1.');
  return outcome.kind === 'found'
    ? [`show authentication sessions mac ${mac} details`]
    : [`show mac address-table address ${mac}`];
}

/** The answer while the NAC is still asked about some devices. Holds their count alone if they do not fit. */
export function progressMessage(
  devices: Devices,
  formatter: Formatter,
  { isOnTheWay, notes = [] }: { isOnTheWay: boolean; notes?: readonly string[] },
): card.Message {
  const message = devicesMessage(devices, { notes, isOnTheWay }, formatter);
  if (message.text.length <= card.MESSAGE_CHARACTERS) return message;
  const words = headline(devices);
  return card.messageOf([card.linePart([words], [card.heading(words)]), ...notes.map(card.notePart)]);
}

/** The advice to look up again. Empty unless the NAC was down; for answers that the bot does not ask for again itself. */
export const adviseAgain = (answers: readonly DeviceAnswer[]): string[] =>
  answers.some(isTransient) ? [WORDS.again] : [];

/** The message for a lookup in progress. `isQueued`: the answer comes even if this process dies. */
export function stillAsking(devices: Devices, formatter: Formatter, isQueued: boolean): card.Message {
  const { answers, waiting } = devices;
  const [only] = waiting;
  const isPosting = only === undefined && answers.some((each) => countTokens(each) > 0);
  const notes = [
    ...(only !== undefined && isQueued ? [WORDS.asking] : []),
    ...(isPosting ? [WORDS.posting] : []),
  ];
  if (answers.length + waiting.length !== 1)
    return progressMessage(devices, formatter, { isOnTheWay: true, notes });
  if (only === undefined) return renderAnswer(answers, undefined, formatter, notes);
  const promise = isQueued ? ' The answer will come here.' : '';
  return card.messageOf([card.linePart(line`Still asking the NAC about ${only}.${[promise]}`)]);
}

/** A device in a post to the room: its address, verdict, place and why, then each token literally on a line of its own. */
export function roomBlock(answer: DeviceAnswer, why: Line = []): string {
  const verdict = line`${answer.address} ${verdictOf(answer).heading}`;
  const first = joinLines([verdict, placeText(recordOf(answer))], ', ');
  return [toRoom(why.length > 0 ? [...first, '. ', ...why] : first), ...tokensOf(answer)].join('\n');
}

/** The post for the room about devices with tokens, the worst first; undefined without any. */
export function roomText(answers: readonly DeviceAnswer[]): string | undefined {
  if (answers.length === 0) return undefined;
  const blocks = worstFirst(answers).map((answer) => roomBlock(answer));
  return paragraphs(...blocks, ...leftOutText(answers, String));
}

/** The result of the room's post: of a lookup's tokens, or an alert's devices. Contains no untrusted text. */
export function deliveryText({ outcome, isQueued }: Delivery, what: 'tokens' | 'devices' = 'tokens') {
  if (outcome.kind === 'posted') return `The ${what} were posted to the room.`;
  if (outcome.kind === 'waiting')
    return `The ${what} are not posted yet, because the room did not take them at first. I keep trying for 24 hours.`;
  if (outcome.kind === 'under way')
    return isQueued
      ? `The ${what} are on their way to the room.`
      : `The room has not taken the ${what} yet, and I cannot promise that it will. Please look there.`;
  const fault = `The ${what} were not posted to the room: ${postFaultText(outcome)}.`;
  if (isQueued) return `${fault} I keep trying for 24 hours.`;
  const isUntrusted = outcome.kind === 'no answer' && outcome.fault.kind === 'untrusted';
  const settings = isUntrusted ? 'WEBHOOK_TLS' : 'WEBHOOK_URL and WEBHOOK_TOKEN';
  return `${fault} Please pass them on yourself. The bot's operator can check ${settings}.`;
}
