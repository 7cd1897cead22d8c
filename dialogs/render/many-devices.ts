import type { Delivery } from '../../src/webhook/posts.ts';
import * as card from './card.ts';
import { firstLine } from './describe.ts';
import * as device from './device.ts';
import { tokensOf } from './device.ts';
import { type Message, messageOf } from './message.ts';
import { countedKind, type Devices, headline, type Triaged, triage } from './triage.ts';
import { capitalised, code, type Formatter, joinLines, type Line, line } from './words.ts';

const WORDS = {
  waiting: 'still asking',
  again: 'Look up all again',
  own: 'Asked under your own account.',
  standIn: "Asked under the bot's account, because people's own accounts cannot be read now.",
  alone: (address: string, verdict: string) => `${address} ${verdict}: look up alone`,
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

/** A card shows the reason of so many devices; more would fill several screens of a phone. */
const MAX_EXPLAINED = 6;
const MAX_DETAILS = 120;
const MAX_KINDS = 5;

/** The answer for several devices, the worst first. `isOnTheWay`: another message replaces this one. */
export function devicesMessage(
  devices: Devices,
  { ending, was, change, isOnTheWay = false }: Closing & { isOnTheWay?: boolean },
  formatter: Formatter,
): Message {
  const { answers, waiting } = devices;
  const { unwell, well, others, shared, causes } = triage(answers, formatter);
  const isWhole = waiting.length === 0;
  const isAllOwn = answers.length > 0 && answers.every(device.isOwn);
  const asking = waiting.map((address) => line`${address}: ${[WORDS.waiting]}`);
  const ill = unwell.map((each) => rowOf(each, isAllOwn, formatter));
  const fine = well.map((each) => rowOf(each, isAllOwn, formatter));
  const parts: card.Part[] = [
    card.linePart([headline(devices, formatter)], [card.heading(headline(devices, formatter, MAX_KINDS))]),
    ...(answers.some(device.isStandIn) ? [card.linePart([WORDS.standIn])] : []),
    ...[...(isWhole ? shared : []), ...causes].map((each) => card.linePart(each)),
    ...ill.map(toText),
    { text: [], summary: [], elements: unwellElements(ill) },
    ...(isWhole ? others.map(card.notePart) : []),
    ...fine.map(toText),
    { text: [], summary: [], elements: foldedElements(fine) },
    ...(isWhole ? [] : [card.linesPart(asking, { isSubtle: true })]),
    ...(change ? [card.linePart(change)] : []),
    ...[...ending, ...(isAllOwn ? [WORDS.own] : [])].map(card.notePart),
  ];
  const all = [...answers.map(({ asked }) => asked), ...waiting];
  const again = card.button(WORDS.again, 'lookup', all.join(' '), was);
  const tokens = [...ill, ...fine].flatMap(tokenElements);
  const actions = [again, ...card.watchButton(answers, formatter), ...card.moreButton(tokens, [])];
  return messageOf(parts, isOnTheWay ? [] : actions);
}

/** `own`: the account, unless the message names it for all. */
type DeviceRow = Triaged & { name: Line; own: string; where: Line; kind: string };

function rowOf(row: Triaged, isAllOwn: boolean, formatter: Formatter): DeviceRow {
  const { answer } = row;
  const own = isAllOwn || device.isStandIn(answer) ? '' : device.accountText(answer);
  const where = joinLines([device.whoAndWhere(answer), device.ageText(answer, formatter)], ', ');
  return { ...row, name: device.nameOf(answer), own, where, kind: countedKind(answer) };
}

function toText({ answer, name, heading, own, why, where, hints }: DeviceRow): card.Part {
  const tokens = tokensOf(answer);
  const said = firstLine(name, [...heading, own], joinLines([why, ...hints, where], ' '));
  return card.joinParts([card.linePart(said, []), { text: tokens.map(code), summary: tokens, elements: [] }]);
}

/** The first in full on the colour of their verdicts, the others one line each. */
function unwellElements(all: readonly DeviceRow[]): card.Element[] {
  const explained = Map.groupBy(all.slice(0, MAX_EXPLAINED), ({ tone }) => tone);
  return [
    ...[...explained].map(([tone, some]) => ({
      ...card.toned(
        tone,
        some.map((each, index) => rowElement(each, index > 0, true)),
      ),
      spacing: 'Small',
    })),
    ...all.slice(MAX_EXPLAINED).map((each) => rowElement(each, true, false)),
  ];
}

/** A row that looks its device up alone when it is pressed. */
function rowElement(row: DeviceRow, separator: boolean, isExplained: boolean): card.Element {
  const { answer, heading, kind, why, where, hints, own } = row;
  const { address, asked } = answer;
  const verdict = isExplained ? heading : [kind.replace(/: waiting$/, '')];
  const details = clipped(joinLines([why.length > 0 ? why : (hints[0] ?? []), where], ' '));
  const title = [
    ...card.runs(capitalised([...verdict, ' ']), { weight: 'Bolder' }),
    ...card.addressRuns(address, asked),
    ...card.runs([own, ' ›'], { isSubtle: true }),
  ];
  const isShown = isExplained && details.length > 0;
  const items = [
    card.richText(title),
    ...(isShown ? [card.richText(card.runs(details, { isSubtle: true }), 'None')] : []),
  ];
  const selectAction = card.button(WORDS.alone(asked, kind), 'lookup', asked);
  return { type: 'Container', items, separator, spacing: separator ? 'Small' : 'None', selectAction };
}

/** Cuts a row's details to some three lines of a phone. The row's own card shows all. */
function clipped(details: Line): Line {
  let end = 0;
  return details.flatMap((part) => {
    const words = typeof part === 'string' ? part : part.untrusted;
    const left = MAX_DETAILS - end;
    end += words.length;
    if (left < 0) return [];
    const kept = words.length <= left ? words : `${words.slice(0, left).trimEnd()}…`;
    return [typeof part === 'string' ? kept : { untrusted: kept }];
  });
}

function foldedElements(all: readonly DeviceRow[]): card.Element[] {
  const names = all.map(({ name, own }) => [...name, own]);
  const style = { fontType: 'Monospace', size: 'Small' } as const;
  return all.length > 0 ? [card.richText(card.runs(joinLines(names, ', '), style))] : [];
}

function tokenElements({ answer }: DeviceRow): card.Element[] {
  const tokens = tokensOf(answer);
  return tokens.length > 0
    ? [card.richText(card.addressRuns(answer.address)), ...card.codeLines(tokens)]
    : [];
}
