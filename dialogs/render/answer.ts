import { isMacAddress } from '../../src/domain/device-address.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { type Description, describe, firstLine, verdictOf, worstFirst } from './describe.ts';
import {
  accountText,
  countTokens,
  type DeviceAnswer,
  type Fact,
  isDevice,
  leftOutText,
  placeText,
  recordOf,
  tokensOf,
} from './device.ts';
import { type Closing, type Devices, devicesMessage, headline } from './many-devices.ts';
import * as card from './message.ts';
import { postFaultText } from './outcomes.ts';
import { capitalised, type Formatter, joinLines, type Line, line, paragraphs, toRoom } from './words.ts';

const WORDS = {
  tokens: 'Tokens',
  noTokens: 'The session holds no tokens to post.',
  history: 'Last attempts (24 hours)',
  command: 'On a switch',
  lookUpAgain: 'Look up again',
  showAll: 'All fields',
  promise: 'The answer will come here.',
  posting: 'I am still posting to the room.',
};

/** The answer in chat. `notes`: our sentences at its end. `shown` lets a press of "Look up again" edit the message. */
export function renderAnswer(
  answers: readonly DeviceAnswer[],
  delivery: Delivery | undefined,
  formatter: Formatter,
  more: readonly string[] = [],
  shown?: Pick<Closing, 'state' | 'change' | 'isUnderAlert'>,
): card.Message {
  const posted = delivery ? [deliveryText(delivery)] : [];
  const notes = [...posted, ...accountText(answers), ...more, ...leftOutText(answers)];
  const closing = { ...shown, delivery, notes };
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
  const noTokens = isFound && countTokens(answer) === 0 ? [WORDS.noTokens] : [];
  // More would not fit on a phone. Tokens that the room lacks replace the facts.
  const isPosted = delivery === undefined || delivery.outcome.kind === 'posted' || delivery.isQueued;
  const tokens = section(WORDS.tokens, card.codeLines(tokensOf(answer)));
  const hidden = described.facts.filter(([, , isDetail]) => !isPosted || isUnderAlert || isDetail);
  const facts = described.facts.filter((fact) => !hidden.includes(fact));
  const attempts = described.history.map((each) => card.richText(card.runs(each), 'None'));
  const more = [
    ...rows(hidden),
    ...section(WORDS.command, card.codeLines(commandsFor(answer))),
    ...section(WORDS.history, attempts),
    ...(isPosted ? tokens : []),
  ];
  const shown = isPosted ? rows(facts) : tokens;
  const parts = [
    { ...textsOf(described), elements: cardTop(described, shown, isUnderAlert) },
    ...(change ? [card.linesPart([change])] : []),
    ...[...noTokens, ...notes].map(card.notePart),
  ];
  return card.messageOf(parts, [
    ...(isDevice(answer) ? [card.button(WORDS.lookUpAgain, 'lookup', answer.asked, state)] : []),
    ...card.watchButton([answer], formatter),
    ...card.nacButton(answer, formatter),
    ...card.moreButton(more, isFound ? [card.button(WORDS.showAll, 'fields', answer.address)] : []),
  ]);
}

const section = (title: string, elements: readonly card.Element[]) =>
  elements.length > 0 ? [card.note(title, 'Bolder'), ...elements] : [];

const rows = (facts: readonly Fact[]) =>
  facts.map(([label, value], index) => card.row([label], value, index === 0 ? 'Small' : 'None'));

/** The text, and the summary: a lock screen shows the first words alone. */
function textsOf(described: Description) {
  const { name, heading, reason, explanation, where, hints, facts, history } = described;
  const tokens = tokensOf(described).map((token) => line`${token}`);
  const text: Line[] = [
    firstLine(name, heading, explanation),
    ...hints,
    ...facts.map(([label, value]) => [`${label}: `, ...value]),
    ...(history.length > 0 ? [[`${WORDS.history}:`], ...history] : []),
    ...(tokens.length > 0 ? [[`${WORDS.tokens}:`], ...tokens] : []),
  ];
  const first = joinLines([[...heading, '.'], reason, joinLines([where, name], ', ')], ' ');
  return { text, summary: [first, ...hints, ...tokens] };
}

/** @param shown facts or tokens */
function cardTop(described: Description, shown: readonly card.Element[], isUnderAlert: boolean) {
  const { heading, tone, explanation, hints, where } = described;
  const address = card.addressRuns(described);
  if (isUnderAlert) {
    const title = [...card.runs(capitalised([...heading, ' ']), { weight: 'Bolder' }), ...address];
    const why = card.runs(joinLines([explanation, ...hints, where], ' '));
    return [card.toned(tone, [card.richText(title), card.richText(why, 'None')]), ...shown];
  }
  const why = card.linesPart(explanation.length > 0 ? [explanation, ...hints] : hints).elements;
  return [card.toned(tone, card.verdictHeading(heading)), card.richText(address), ...why, ...shown];
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

/** The message while the NAC is still asked, or the room. `isQueued`: the answer comes even if this process dies. */
export function stillAsking(
  devices: Devices,
  formatter: Formatter,
  isQueued: boolean,
  more: readonly string[] = [],
): card.Message {
  const { answers, waiting } = devices;
  const [only] = waiting;
  const isPosting = only === undefined && answers.some((each) => countTokens(each) > 0);
  const promise = only !== undefined && isQueued ? [WORDS.promise] : [];
  const notes = [...promise, ...(isPosting ? [WORDS.posting] : []), ...more];
  if (answers.length === 1 && only === undefined) return renderAnswer(answers, undefined, formatter, notes);
  if (answers.length === 0 && only !== undefined && waiting.length === 1) {
    const asking = [line`Still asking the NAC about ${only}.`, ...notes.map((note) => [note])];
    return card.messageOf([card.linesPart([joinLines(asking, ' ')])]);
  }
  const message = devicesMessage(devices, { notes }, formatter);
  if (message.text.length <= card.MESSAGE_CHARACTERS) return message;
  // The devices do not fit.
  const words = headline(devices);
  return card.messageOf([{ text: [[words]], elements: [card.heading(words)] }, ...notes.map(card.notePart)]);
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
  return paragraphs(...blocks, ...leftOutText(answers));
}

/** The result of the room's post: of a lookup's tokens, or an alert's devices. Contains no untrusted text. */
export function deliveryText({ outcome, isQueued }: Delivery, what: 'tokens' | 'devices' = 'tokens') {
  if (outcome.kind === 'posted') return `The ${what} were posted to the room.`;
  if (outcome.kind === 'waiting' || outcome.kind === 'under way')
    return isQueued
      ? `The ${what} are not posted yet. I keep trying for 24 hours.`
      : `The room has not taken the ${what} yet, and I cannot promise that it will. Please look there.`;
  const fault = `The ${what} were not posted to the room: ${postFaultText(outcome)}.`;
  if (isQueued) return `${fault} I keep trying for 24 hours.`;
  return `${fault} Please pass them on yourself. The bot's operator can check the webhook's settings.`;
}
