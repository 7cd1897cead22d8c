import { isMacAddress } from '../../src/domain/device-address.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import * as card from '../format/card.ts';
import { MESSAGE_CHARACTERS, type Message, messageOf } from '../format/message.ts';
import { code, joinLines, line, paragraphs, type Reader, toMarkdown, toPlain } from '../format/words.ts';
import { attemptsPart, sayTurn } from './attempts.ts';
import type { Asking, DeviceAnswer } from './device-answer.ts';
import * as device from './device-answer.ts';
import { type Fact, factsOf, quoted, whoAndWhere } from './facts.ts';
import { hintsOn, hintsOnSession, sayKnown } from './hints.ts';
import { devicesMessage, sayHeadline } from './many-devices.ts';
import type { Shown } from './told.ts';
import { firstLine, meaningOf, roomBlock, sayDelivery, verdictOf } from './verdict.ts';

const WORDS = {
  again: 'Please look up again in a minute.',
  asking: 'Still asking the NAC; the answer will come here.',
  posting: 'I am still posting to the room.',
  tokens: 'Tokens',
  noTokens: 'The session holds no tokens to post.',
  lookUpAgain: 'Look up again',
  showAll: 'Show all fields',
  showTokens: 'Show the tokens',
  nac: 'Open in the NAC',
};

/** The answer for the asker. `notes`: our sentences at its end. `shown` lets a press of "Look up again" edit the message. */
export function answerMessage(
  answers: readonly DeviceAnswer[],
  delivery: Delivery | undefined,
  reader: Reader,
  notes: readonly string[] = [],
  shown?: Shown,
): Message {
  const ending = [
    ...(delivery ? [sayDelivery(delivery)] : []),
    ...notes,
    ...device.sayTokensLeftOut(answers, reader),
  ];
  const [only, ...others] = answers;
  return only !== undefined && others.length === 0
    ? deviceMessage(only, delivery, ending, reader, shown)
    : devicesMessage({ answers, waiting: [] }, ending, reader, { shown });
}

/** The answer while some devices are not answered yet: one message. If the devices do not fit, their count alone is said. */
export function progressMessage(
  asking: Asking,
  reader: Reader,
  { isOnTheWay, notes = [] }: { isOnTheWay: boolean; notes?: readonly string[] },
): Message {
  const answers = asking.answered();
  const waiting = asking.addresses.filter((address) => !answers.some(({ asked }) => asked === address));
  const message = devicesMessage({ answers, waiting }, notes, reader, { isOnTheWay });
  if (message.text.length <= MESSAGE_CHARACTERS) return message;
  const headline = sayHeadline({ answers, waiting }, reader);
  return messageOf([card.headingPart(headline), ...notes.map(card.notePart)]);
}

/** What to do if the NAC was down and the bot does not ask it again by itself. */
export function adviseAgain(answers: readonly DeviceAnswer[]): string[] {
  return answers.some(device.isPassing) ? [WORDS.again] : [];
}

/** Says that a lookup is under way. @param isKept whether the answer comes even if this process dies */
export function stillAsking(asking: Asking, reader: Reader, { isKept }: { isKept: boolean }): Message {
  const isAsking = asking.answered().length < asking.addresses.length;
  const [only, ...others] = asking.addresses;
  const notes = [
    ...(isAsking && isKept ? [WORDS.asking] : []),
    ...(isPosting(asking) ? [WORDS.posting] : []),
  ];
  if (only === undefined || others.length > 0)
    return progressMessage(asking, reader, { isOnTheWay: true, notes });
  if (!isAsking) return answerMessage(asking.answered(), undefined, reader, notes);
  const promise = isKept ? ' The answer will come here.' : '';
  return messageOf([card.linePart(line`Still asking the NAC about ${only}.${[promise]}`)]);
}

/** Whether all devices are answered, and the room is to get their tokens. */
function isPosting({ addresses, answered }: Asking): boolean {
  const answers = answered();
  return answers.length === addresses.length && answers.some((each) => device.countTokens(each) > 0);
}

/** The post for the room about devices with tokens; undefined without any. */
export function roomText(answers: readonly DeviceAnswer[], reader: Reader): string | undefined {
  if (answers.length === 0) return undefined;
  const blocks = answers.map((each) => roomBlock(each));
  return paragraphs(...blocks, ...device.sayTokensLeftOut(answers, reader, String));
}

const TOKENS_ID = 'tokens';

function deviceMessage(
  answer: DeviceAnswer,
  delivery: Delivery | undefined,
  ending: readonly string[],
  reader: Reader,
  shown?: Shown,
): Message {
  const { asked, address, outcome } = answer;
  const isFound = outcome.kind === 'found';
  const { all, inCard, why } = factsOf(answer, reader);
  const turn = isFound && answer.attempts && sayTurn(answer, reader);
  const attempts = answer.attempts ? [attemptsPart(answer, reader)] : [];
  const isToldInRoom = delivery === undefined || delivery.outcome.kind === 'posted' || delivery.kept;
  const isFolded = isToldInRoom && isSaid(answer, why);
  const hints = card.linesPart(hintsOn(answer));
  const about = [
    openingPart(answer, reader),
    ...hintsOnSession(answer, reader).map((hint) => ({ ...card.linePart(hint), summary: [] })),
    ...sayKnown(answer, reader).map((known) => card.linePart(known)),
    ...(turn ? [card.linePart(turn)] : []),
    ...(isFound ? [] : attempts),
    factsPart(all, inCard),
    factsPart(why),
    { ...hints, summary: [], elements: contained(hints.elements, { style: 'emphasis' }) },
    ...(isFound ? [...attempts, tokensPart(answer, isFolded)] : []),
  ];
  const change = shown?.change ? [card.linesPart([shown.change], {}, 'Default')] : [];
  return messageOf(
    [card.joinParts(about), ...change, ...ending.map(card.notePart)],
    [
      ...(device.isDevice(answer) ? [card.button(WORDS.lookUpAgain, 'lookup', asked, shown?.was)] : []),
      ...(isFound ? [card.button(WORDS.showAll, 'fields', address)] : []),
      ...nacButton(answer, reader),
      ...(isFolded
        ? [{ type: 'Action.ToggleVisibility', title: WORDS.showTokens, targetElements: [TOKENS_ID] }]
        : []),
    ],
  );
}

/** The first lines: the device and its verdict. A lock screen shows the first words alone: verdict, why, who and where, when. */
function openingPart(answer: DeviceAnswer, reader: Reader): card.Part {
  const { words, tone } = verdictOf(answer);
  const meaning = meaningOf(answer, reader);
  const record = device.recordOf(answer);
  const [name, account] = [device.nameOf(answer), device.sayAccount(answer)];
  const vpn = record.vpn ? [joinLines([['VPN'], ...quoted(record.vpn.group)], ' ')] : [];
  const age = record.lastSignAt === undefined ? [] : [[reader.age(record.lastSignAt)]];
  const notified = whoAndWhere(answer, [...vpn, ...age, [...name, account]]);
  const verdict = [
    card.heading(`${words.charAt(0).toUpperCase()}${words.slice(1)}`),
    ...(meaning.length > 0 ? [card.richText(card.runs(meaning))] : []),
  ];
  return {
    text: [toMarkdown(firstLine(name, words + account, meaning))],
    summary: [toPlain(joinLines([[`${words}.`], meaning, notified], ' '))],
    elements: [card.toned(tone, verdict), card.richText(addressLine(answer))],
  };
}

/** Facts that belong together, one a line: two columns would be too narrow on a phone. @param inCard default: the same */
function factsPart(facts: readonly Fact[], inCard = facts): card.Part {
  return {
    text: facts.map(({ label, value }) => `${label}: ${toMarkdown(value)}`),
    summary: [],
    elements: contained(inCard.map(({ label, value }) => card.row([label], value))),
  };
}

function contained(items: readonly card.Element[], style: card.Element = {}): card.Element[] {
  return items.length === 0 ? [] : [{ type: 'Container', ...style, spacing: 'Medium', items }];
}

function tokensPart(answer: DeviceAnswer, isFolded: boolean): card.Part {
  if (device.countTokens(answer) === 0) return { ...card.linePart([WORDS.noTokens]), summary: [] };
  const tokens = device.tokensOf(answer);
  const items = [card.label(WORDS.tokens), ...card.tokenLines(tokens)];
  return {
    text: [`${WORDS.tokens}:`, ...tokens.map(code)],
    summary: tokens,
    elements: isFolded ? [{ type: 'Container', id: TOKENS_ID, isVisible: false, items }] : items,
  };
}

/** Whether rule and profiles have said all of the tokens already. */
function isSaid(answer: DeviceAnswer, why: readonly Fact[]): boolean {
  const tokens = device.tokensOf(answer);
  const said = [...why.flatMap(({ value }) => value), ...quoted(device.recordOf(answer).rule).flat()].flatMap(
    (part) => (typeof part === 'string' ? [] : [part.foreign, ...part.foreign.split(/[\s,]+/)]),
  );
  return tokens.length > 0 && tokens.every((token) => said.includes(token));
}

/** The card's line that names the device; it says so if the person's own account was used. */
export function addressLine(answer: DeviceAnswer): card.Element[] {
  const own = device.sayAccount(answer);
  const name = card.addressRuns(answer.address, answer.asked);
  return own === '' ? name : [...name, ...card.runs([own], { isSubtle: true })];
}

/** The button to the NAC's own page for a device. A link's path, query and fragment may hold colons (RFC 3986, section 3.3). */
export function nacButton(answer: DeviceAnswer, { nacLink }: Reader): card.Element[] {
  if (nacLink === undefined || !device.isDevice(answer) || !isMacAddress(answer.address)) return [];
  return [card.linkButton(WORDS.nac, new URL(nacLink.replaceAll('{mac}', answer.address)).href)];
}
