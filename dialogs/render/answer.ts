import { isMacAddress } from '../../src/domain/device-address.ts';
import { readFields } from '../../src/nac/reading/session.ts';
import type { Delivery } from '../../src/webhook/sender.ts';
import { type Description, describe, firstLine, verdictOf, worstFirst } from './describe.ts';
import type { Answers, DeviceAnswer, Fact } from './device.ts';
import * as device from './device.ts';
import { type Closing, type Devices, devicesMessage, headline } from './many-devices.ts';
import * as card from './message.ts';
import { postFaultText } from './outcomes.ts';
import { type Formatter, joinLines, type Line, line, paragraphs, shorten, toRoom } from './words.ts';

const HISTORY = 'Last attempts (24 hours)';
const LOOK_UP_AGAIN = 'Look up again';
const ALL_FIELDS = 'All fields from the NAC';

/** The answer in chat, about one device or several. */
export function renderAnswer(
  answers: Answers,
  formatter: Formatter,
  { waiting = [], ...closing }: Partial<Closing & Devices> = {},
) {
  const posted = closing.delivery ? [deliveryText(closing.delivery)] : [];
  const { notes: more = [] } = closing;
  const notes = [...posted, ...device.accountText(answers), ...more, ...device.leftOutText(answers)];
  const [only] = answers;
  return only && answers.length + waiting.length === 1
    ? deviceMessage(only, { ...closing, notes }, formatter)
    : devicesMessage({ answers, waiting }, { ...closing, notes }, formatter);
}

/** The answer for one device, as text, notification and card. */
function deviceMessage(answer: DeviceAnswer, closing: Closing, formatter: Formatter): card.Message {
  const { delivery, change, state, notes } = closing;
  const isUnderAlert = state?.alert !== undefined;
  const described = describe(answer, formatter);
  const isFound = answer.outcome.kind === 'found';
  const noTokens =
    isFound && device.countTokens(answer) === 0 ? ['The session holds no tokens to post.'] : [];
  // More would not fit on a phone. Tokens that the room lacks replace the facts.
  const isPosted = delivery === undefined || delivery.outcome.kind === 'posted' || delivery.isQueued;
  const tokens = section('Tokens', card.codeLines(device.tokensOf(answer)));
  const { shown = [], hidden = [] } = Object.groupBy(described.facts, ([, , isDetail]) =>
    !isPosted || isUnderAlert || isDetail ? 'hidden' : 'shown',
  );
  const attempts = described.history.map((each) => card.richText(card.runs(each), 'None'));
  const more = [
    ...rows(hidden),
    ...section('On a switch', card.codeLines(commandsFor(answer))),
    ...section(HISTORY, attempts),
    ...(isPosted ? tokens : []),
  ];
  const top = isUnderAlert ? rowUnderAlert(described) : cardTop(described);
  const parts = [
    { ...textsOf(described), elements: [...top, ...(isPosted ? rows(shown) : tokens)] },
    ...(change ? [card.linesPart([change])] : []),
    ...[...noTokens, ...notes].map(card.notePart),
  ];
  return card.messageOf(parts, [
    ...(device.isDevice(answer) ? [card.button(LOOK_UP_AGAIN, 'lookup', answer.asked, state)] : []),
    ...card.watchButton([answer], formatter.canWatch),
    ...nacButton(answer, formatter),
    ...card.moreButton(more, isFound ? [card.button('All fields', 'fields', answer.address)] : []),
  ]);
}

const section = (title: string, elements: readonly card.Element[]) =>
  elements.length > 0 ? [card.note(title, 'Bolder'), ...elements] : [];

const rows = (facts: readonly Fact[]) =>
  facts.map(([label, value], index) => card.row([label], value, index === 0 ? 'Small' : 'None'));

/** The text, and the summary: a lock screen shows the first words alone. */
function textsOf(described: Description) {
  const { name, heading, reason, explanation, where, hints, facts, history } = described;
  const tokens = device.tokensOf(described).map((token) => line`${token}`);
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

/** A link's path, query and fragment may hold colons (RFC 3986, section 3.3). */
function nacButton(answer: DeviceAnswer, { nacLink }: Formatter): card.Element[] {
  if (nacLink === undefined || !device.isDevice(answer) || !isMacAddress(answer.address)) return [];
  const url = new URL(nacLink.replaceAll('{mac}', answer.address)).href;
  return [{ type: 'Action.OpenUrl', title: 'Open in the NAC', url }];
}

/** The next command on the switch, to copy: about the session if there is a wired one. None on Wi-Fi and VPN. */
function commandsFor(answer: DeviceAnswer): string[] {
  const { address, outcome } = answer;
  const { wifi, vpn } = device.recordOf(answer);
  if (!device.isDevice(answer) || !isMacAddress(address) || wifi || vpn) return [];
  const mac = address.toLowerCase().replace(/:(..)(:?)/g, (_, pair, more) => `${pair}${more && '.'}`);
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
      text: [firstLine(device.nameOf(first), [ALL_FIELDS])],
      elements: [card.heading(ALL_FIELDS), card.richText(card.addressRuns(first), 'None')],
    },
    {
      text: fields.map(([name, value]) => line`${name}: ${value}`),
      summary: [],
      elements: [{ type: 'Container', spacing: 'Medium', items }],
    },
    ...[...leftOut, ...device.accountText(answers), ...notes].map(card.notePart),
  ];
  const again = card.button(LOOK_UP_AGAIN, 'lookup', first.asked);
  return card.messageOf(parts, [again, ...nacButton(first, formatter)]);
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
  const isPosting = answers.some((each) => device.countTokens(each) > 0);
  const asking = isQueued ? ['The answer will come here.'] : [];
  const notes = [...(only ? asking : isPosting ? ['I am still posting to the room.'] : []), ...more];
  if (answers.length === 1 && !only) return renderAnswer(answers, formatter, { notes });
  const isAlone = only && answers.length + waiting.length === 1;
  const message = devicesMessage(devices, { notes }, formatter);
  if (!isAlone && message.text.length <= card.MESSAGE_CHARACTERS) return message;
  const opening = isAlone ? line`Still asking the NAC about ${only}.` : [headline(devices)];
  return card.messageOf([card.linesPart([joinLines([opening, ...notes], ' ')])]);
}

/** A device in a post to the room: its address, verdict, place and why, then each token literally on a line of its own. */
export function roomBlock(answer: DeviceAnswer, why: Line = []): string {
  const verdict = line`${answer.address} ${verdictOf(answer).heading}`;
  const first = joinLines([verdict, device.placeText(device.recordOf(answer))], ', ');
  return [toRoom(why.length > 0 ? [...first, '. ', ...why] : first), ...device.tokensOf(answer)].join('\n');
}

/** The post for the room about devices with tokens, the worst first; undefined without any. */
export function roomText(answers: Answers): string | undefined {
  const blocks = worstFirst(answers).map((answer) => roomBlock(answer));
  return blocks.length > 0 ? paragraphs(...blocks, ...device.leftOutText(answers)) : undefined;
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
