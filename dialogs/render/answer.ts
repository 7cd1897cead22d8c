import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { isMacAddress, isUserQuery } from '../../src/domain/device-address.ts';
import type { AlertHead } from '../../src/domain/incident.ts';
import { groupOf, isDevice, recordOf, tokensOf } from '../../src/domain/outcome.ts';
import { readFields } from '../../src/nac/reading/session.ts';
import type { Delivery } from '../../src/webhook/sender.ts';
import { type Description, describe, type Fact, firstLine, verdictOf, worstFirst } from './describe.ts';
import type { Answers, DeviceAnswer, Devices } from './device.ts';
import { devicesParts, headline } from './many-devices.ts';
import * as card from './message.ts';
import { postFaultText } from './outcomes.ts';
import * as words from './words.ts';
import { type Formatter, joinLines, type Line, line, shorten } from './words.ts';

const HISTORY = 'Last attempts (24 hours)';
const LOOK_UP_AGAIN = 'Look up again';
const ALL_FIELDS = 'All fields from the NAC';

/** What an answer says besides its devices. */
type Closing = {
  /** Addresses without an answer yet. Until they have one, there are no buttons: another message replaces this one. */
  waiting?: readonly DeviceAddress[];
  /** The result of the room's post; undefined: there was none. */
  delivery?: Delivery | undefined;
  /** Our sentences at the end. */
  notes?: readonly string[];
  /** The change since the message's last version, if a press edited it. */
  change?: Line | undefined;
  /** The state in its button "Look up again", by which a press edits it. Under an alert, a single device is shown like one of several. */
  state?: { alert?: AlertHead | undefined } | undefined;
  /** Whether the device is still watched. */
  isWatched?: boolean | undefined;
};

/** The answer in chat as text, notification and card, about one device or several. */
export function renderAnswer(answers: Answers, formatter: Formatter, closing: Closing = {}): card.Message {
  const { waiting = [], delivery, notes = [], change, state, isWatched } = closing;
  const [only] = answers.length + waiting.length === 1 ? answers : [];
  const { parts, more } = only
    ? deviceParts(only, closing, formatter)
    : devicesParts({ answers, waiting }, formatter);
  const isFound = only?.outcome.kind === 'found';
  const all = [
    ...(isFound && countTokens(only) === 0 ? ['The session holds no tokens to post.'] : []),
    ...(delivery ? [deliveryText(delivery)] : []),
    ...accountText(answers),
    ...notes,
    ...leftOutText(answers),
  ];
  const ending = [...(change ? [card.linesPart([change])] : []), ...all.map(card.notePart)];
  const asked = answers.map((each) => each.asked).join(' ');
  const again = card.button(only ? LOOK_UP_AGAIN : 'Look up all again', 'lookup', asked, state);
  const buttons = [
    ...(answers.some(isDevice) ? [again] : []),
    ...(isWatched ? [card.button('Stop', 'unwatch', asked)] : card.watchButton(answers, formatter.canWatch)),
    ...(only ? card.nacButton(only, formatter.nacLink) : []),
    ...card.moreButton(more, isFound ? [card.button('All fields', 'fields', only.address)] : []),
  ];
  return card.messageUnder(state?.alert, formatter, [...parts, ...ending], waiting.length > 0 ? [] : buttons);
}

function deviceParts(answer: DeviceAnswer, { delivery, state }: Closing, formatter: Formatter) {
  const isUnderAlert = state?.alert !== undefined;
  const described = describe(answer, formatter);
  // More would not fit on a phone. Tokens that the room lacks replace the facts.
  const isPosted = delivery === undefined || delivery.outcome.kind === 'posted' || delivery.isQueued;
  const tokens = section('Tokens', card.codeLines(tokensOf(answer)));
  const { shown = [], hidden = [] } = Object.groupBy(described.facts, ([, , isDetail]) =>
    !isPosted || isUnderAlert || isDetail ? 'hidden' : 'shown',
  );
  const attempts = described.history.map((each) => card.richText(card.runs(each), 'None'));
  const top = isUnderAlert ? rowUnderAlert(described) : cardTop(described);
  return {
    parts: [{ ...textsOf(described), elements: [...top, ...(isPosted ? rows(shown) : tokens)] }],
    more: [
      ...rows(hidden),
      ...section('On a switch', card.codeLines(commandsFor(answer))),
      ...section(HISTORY, attempts),
      ...(isPosted ? tokens : []),
    ],
  };
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
    ...(history.length > 0 ? [[`${HISTORY}:`], ...history] : []),
    ...(tokens.length > 0 ? [['Tokens:'], ...tokens] : []),
  ];
  const first = joinLines([[...heading, '.'], reason, joinLines([where, name], ', ')], ' ');
  return { text, summary: [first, ...hints, ...tokens] };
}

function cardTop(described: Description) {
  const { heading, tone, explanation, hints } = described;
  const why = explanation.length > 0 ? [explanation, ...hints] : hints;
  return [
    card.toned(tone, card.verdictHeading(heading)),
    card.richText(card.addressRuns(described)),
    ...card.linesPart(why).elements,
  ];
}

function rowUnderAlert(described: Description) {
  const { heading, tone, explanation, hints, where } = described;
  const why = card.runs(joinLines([explanation, ...hints, where], ' '));
  return [card.toned(tone, [card.richText(card.titleRuns(heading, described)), card.richText(why, 'None')])];
}

/** The next command on the switch, to copy: about the session if there is a wired one. None on Wi-Fi and VPN. */
function commandsFor(answer: DeviceAnswer): string[] {
  const { address, outcome } = answer;
  const { wifi, vpn } = recordOf(answer);
  if (!isDevice(answer) || !isMacAddress(address) || wifi || vpn) return [];
  const mac = address
    .toLowerCase()
    .replaceAll(':', '')
    .replace(/(....)(?=.)/g, '$1.');
  if (outcome.kind === 'found') return [`show authentication sessions mac ${mac} details`];
  return [`show mac address-table address ${mac}`];
}

/** The most of all fields in a card. The rest is left out, because an oversized card would be lost. A session has about forty. */
const MAX_CHARACTERS = 20_000;

/** Every field of the first device's session; the ordinary answer if it has no session. @param notes our sentences at its end */
export function fieldsMessage(answers: Answers, formatter: Formatter, notes: readonly string[] = []) {
  const [first] = answers;
  if (first?.outcome.kind !== 'found') return renderAnswer(answers, formatter, { notes });
  const all = readFields(first.outcome.text).map(([name, value]) => [shorten(name), shorten(value)] as const);
  let size = 0;
  const fields = all.filter(([name, value]) => {
    size += 100 + name.length + value.length; // With the card's element.
    return size <= MAX_CHARACTERS;
  });
  const left = all.length - fields.length;
  const leftOut = left > 0 ? [`Fields that are left out here, because there are too many: ${left}.`] : [];
  const items = fields.map(([name, value]) => card.row(line`${name}`, line`${value}`));
  const parts: card.Part[] = [
    {
      text: [firstLine(words.nameOf(first), [ALL_FIELDS])],
      elements: [card.heading(ALL_FIELDS), card.richText(card.addressRuns(first), 'None')],
    },
    {
      text: fields.map(([name, value]) => line`${name}: ${value}`),
      summary: [],
      elements: [{ type: 'Container', spacing: 'Medium', items }],
    },
    ...[...leftOut, ...accountText(answers), ...notes].map(card.notePart),
  ];
  const again = card.button(LOOK_UP_AGAIN, 'lookup', first.asked);
  return card.messageOf(parts, [again, ...card.nacButton(first, formatter.nacLink)]);
}

/** The message while the NAC is still asked, or the room. `isQueued`: the answer comes even if this process dies. */
export function stillAsking(
  { answers, waiting }: Devices,
  formatter: Formatter,
  { isQueued = false, notes: more = [], state }: Pick<Closing, 'notes' | 'state'> & { isQueued?: boolean },
): card.Message {
  const [next] = waiting;
  const isPosting = answers.some((each) => countTokens(each) > 0);
  const asking = isQueued ? ['The answer will come here.'] : [];
  const notes = [...(next ? asking : isPosting ? ['I am still posting to the room.'] : []), ...more];
  const isAlone = answers.length + waiting.length === 1;
  const message = renderAnswer(answers, formatter, { waiting, notes, state });
  if (!(next && isAlone) && message.text.length <= card.MESSAGE_CHARACTERS) return message;
  const counts = isAlone ? [] : [headline({ answers, waiting })];
  const opening = next && isAlone ? line`Still asking the NAC about ${next}.` : counts;
  const part = card.linesPart([joinLines([opening, ...notes], ' ')]);
  return card.messageUnder(state?.alert, formatter, [part]);
}

/** A device in a post to the room: its address, verdict, place and why, then each token literally on a line of its own. */
export function roomBlock(answer: DeviceAnswer, why: Line = []): string {
  const verdict = line`${answer.address} ${verdictOf(answer).heading}`;
  const first = joinLines([verdict, words.placeText(recordOf(answer))], ', ');
  return [words.toRoom(why.length > 0 ? [...first, '. ', ...why] : first), ...tokensOf(answer)].join('\n');
}

/** The post for the room about devices with tokens, the worst first; undefined without any. */
export function roomText(answers: Answers): string | undefined {
  const blocks = worstFirst(answers).map((answer) => roomBlock(answer));
  return blocks.length > 0 ? words.paragraphs(...blocks, ...leftOutText(answers)) : undefined;
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

/** The number of a session's tokens, with those that have no place in the answer. */
export const countTokens = (answer: DeviceAnswer) => tokensOf(answer).length + (answer.tokensLeftOut ?? 0);

const ACCOUNTS = {
  person: 'Asked under your own account.',
  'stand-in': "Asked under the bot's account, because own ones cannot be read now.",
};

/** The account that the NAC was asked under, unless it is simply the bot's. */
function accountText(answers: Answers): string[] {
  const texts = new Set<string>();
  for (const { outcome } of answers)
    if ('whose' in outcome && outcome.whose) texts.add(ACCOUNTS[outcome.whose]);
  return [...texts];
}

export const reportText = (number: number) => `Report number ${number}. Tell it to the bot's operator.`;

/** The number of the lookup's audit lines, if an operator has something to look into; else empty. */
export function numberText(number: () => number, answers: Answers, delivery?: Delivery): string[] {
  const isPostTaken = delivery === undefined || ['posted', 'under way'].includes(delivery.outcome.kind);
  // Time alone, or the asker, helps with the others.
  const isForOperator = answers.some(({ outcome }) => {
    if (['busy', 'disconnected'].includes(outcome.kind)) return false;
    return groupOf(outcome) === 'not known' && !(outcome.kind === 'refused' && outcome.whose === 'person');
  });
  return isPostTaken && !isForOperator ? [] : [reportText(number())];
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
