import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { groupOf } from '../../src/domain/outcome.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import { type Description, describe, firstLine, verdictOf, worstFirst } from './describe.ts';
import { accountSuffix, type DeviceAnswer, recordOf, tokensOf } from './device.ts';
import * as card from './message.ts';
import {
  capitalised,
  code,
  type Formatter,
  joinLines,
  type Line,
  line,
  named,
  sentence,
  toMarkdown,
  toPlain,
} from './words.ts';

const WORDS = {
  waiting: 'still asking',
  again: 'Look up all again',
  alone: (address: string, verdict: string) => `${address} ${verdict}: look up alone`,
};

/** Several devices: the answers so far, and the addresses without one. */
export type Devices = { answers: readonly DeviceAnswer[]; waiting: readonly DeviceAddress[] };

/** The end of a message, after its devices. */
export type Closing = {
  /** Our sentences. */
  notes: readonly string[];
  /** The result of the room's post; undefined: there was none. */
  delivery?: Delivery | undefined;
  /** The change since the message's last version, if a press edited it. */
  change?: Line | undefined;
  /** The state in its button, by which a press edits it. */
  state?: object | undefined;
  /** Whether the card shows a single device like one of several, because an alert's head stands above it. */
  isUnderAlert?: boolean;
};

/** A card shows the reason of so many devices; more would fill several screens of a phone. */
const MAX_EXPLAINED = 6;
const MAX_DETAILS = 120;
const MAX_KINDS = 5;

/** The answer for several devices, the worst first. `isOnTheWay`: another message replaces this one. */
export function devicesMessage(
  devices: Devices,
  { notes, state, change, isOnTheWay = false }: Closing & { isOnTheWay?: boolean },
  formatter: Formatter,
): card.Message {
  const { answers, waiting } = devices;
  const { unwell, well, others, shared, causes, account } = triage(answers, formatter);
  const isWhole = waiting.length === 0;
  const asking = waiting.map((address) => line`${address}: ${[WORDS.waiting]}`);
  const parts: card.Part[] = [
    card.linePart([headline(devices)], [card.heading(headline(devices, MAX_KINDS))]),
    ...(account === '' ? [] : [card.linePart(capitalised([`${account}.`]))]),
    ...[...(isWhole ? shared : []), ...causes].map((each) => card.linePart(each)),
    ...unwell.map(toText),
    { text: [], summary: [], elements: unwellElements(unwell) },
    ...(isWhole ? others.map(card.notePart) : []),
    ...well.map(toText),
    { text: [], summary: [], elements: foldedElements(well) },
    ...(isWhole ? [] : [card.linesPart(asking, { isSubtle: true })]),
    ...(change ? [card.linePart(change)] : []),
    ...notes.map(card.notePart),
  ];
  const all = [...answers.map(({ asked }) => asked), ...waiting];
  const again = card.button(WORDS.again, 'lookup', all.join(' '), state);
  const tokens = [...unwell, ...well].flatMap(tokenElements);
  const actions = [again, ...card.watchButton(answers, formatter), ...card.moreButton(tokens, [])];
  return card.messageOf(parts, isOnTheWay ? [] : actions);
}

/** One device among several. `kind`: its verdict as it is counted. `why`: its reason, unless several devices share it. */
type Row = Description & { answer: DeviceAnswer; kind: string; why: Line };

/** Sorts several devices, the worst first, and finds what they share. */
export function triage(answers: readonly DeviceAnswer[], formatter: Formatter) {
  const all = worstFirst(answers).map((answer) => ({
    ...describe(answer, formatter),
    answer,
    kind: countedKind(answer),
  }));
  // The reasons why at least two devices have no session or no answer.
  const reasons = all.filter(({ answer, reason }) => answer.outcome.kind !== 'found' && reason.length > 0);
  const alike = Map.groupBy(reasons, ({ explanation }) => toPlain(explanation));
  const causes = [...alike.values()].flatMap(([first, second]) =>
    first && second ? [first.explanation] : [],
  );
  const common = new Set(causes.map(toPlain));
  const [account = '', ...accounts] = new Set(all.map((each) => each.account));
  const rows = all.map((each): Row => {
    const own = accounts.length === 0 ? '' : each.account;
    if (each.tone === 'Good') return { ...each, account: own, why: [], hints: [] };
    return { ...each, account: own, why: common.has(toPlain(each.explanation)) ? [] : each.explanation };
  });
  const well = rows.filter(({ tone }) => tone === 'Good');
  const unwell = rows.slice(0, rows.length - well.length);
  const others = well.length === 1 ? 'device is' : `${well.length} devices are`;
  return {
    unwell,
    well,
    /** Counts the devices that are well; empty unless some are and some are not. */
    others: unwell.length > 0 && well.length > 0 ? [`The other ${others} well.`] : [],
    shared: sharedFault(all),
    causes,
    /** The account that all were asked under; empty if it is simply the bot's. */
    account: accounts.length === 0 ? account : '',
  };
}

/** Fewer devices may share something by chance. */
const MIN_ALIKE = 3;

/** What unwell devices of one verdict may share: the network device, else the reason of their failure. */
const FEATURES: ReadonlyArray<(row: Omit<Row, 'why'>) => Line> = [
  ({ answer }) => sentence(named('are on ', recordOf(answer).networkDevice)),
  ({ answer, reason }) =>
    recordOf(answer).passed === false ? joinLines([['for one reason:'], reason], ' ') : [],
];

function sharedFault(all: readonly Omit<Row, 'why'>[]): Line[] {
  const isWell = (kind: string) => kind === 'connected' || kind === 'session found';
  const unwell = all.filter(({ answer, kind }) => answer.outcome.kind === 'found' && !isWell(kind));
  for (const featureOf of FEATURES) {
    const featured = unwell.filter((each) => featureOf(each).length > 1);
    const groups = Map.groupBy(featured, (each) => `${each.kind} ${toPlain(featureOf(each))}`);
    const [most = []] = [...groups.values()].toSorted((one, other) => other.length - one.length);
    const [first] = most;
    if (first === undefined || most.length < MIN_ALIKE) continue;
    const { length } = unwell.filter(({ kind }) => kind === first.kind);
    return [[`${most.length} of ${length} ${first.kind} `, ...featureOf(first)]];
  }
  return [];
}

/** The kind of device in the headline and in a row. */
function countedKind(answer: DeviceAnswer): string {
  const group = groupOf(answer.outcome);
  const { words, counted = words } = verdictOf(answer);
  return group === 'found' ? counted : group;
}

/** Counts each kind of answer, the worst first, or the answers while some are missing. */
export function headline({ answers, waiting }: Devices, maxKinds = Number.POSITIVE_INFINITY): string {
  const all = answers.length + waiting.length;
  if (waiting.length > 0) return `${answers.length} of ${all} answered so far.`;
  const kinds = Map.groupBy(worstFirst(answers), countedKind);
  const { length: connected } = kinds.get('connected') ?? [];
  if (kinds.size > maxKinds) return `${all} devices: ${connected} connected, ${all - connected} not well.`;
  return `${all} devices: ${[...kinds].map(([kind, { length }]) => `${length} ${kind}`).join(', ')}.`;
}

function toText({ answer, name, heading, account, why, where, hints }: Row): card.Part {
  const tokens = tokensOf(answer);
  const said = firstLine(name, [...heading, accountSuffix(account)], joinLines([why, ...hints, where], ' '));
  return { text: [toMarkdown(said), ...tokens.map(code)], summary: [toPlain(said), ...tokens], elements: [] };
}

/** The first in full on the colour of their verdicts, the others one line each. */
function unwellElements(all: readonly Row[]): card.Element[] {
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
function rowElement(row: Row, separator: boolean, isExplained: boolean): card.Element {
  const { answer, kind, heading, why, where, hints, account } = row;
  const verdict = isExplained ? heading : [kind];
  const details = clipped(joinLines([why.length > 0 ? why : (hints[0] ?? []), where], ' '));
  const title = [
    ...card.runs(capitalised([...verdict, ' ']), { weight: 'Bolder' }),
    ...card.addressRuns(answer, `${accountSuffix(account)} ›`),
  ];
  const isShown = isExplained && details.length > 0;
  const items = [
    card.richText(title),
    ...(isShown ? [card.richText(card.runs(details, { isSubtle: true }), 'None')] : []),
  ];
  const selectAction = card.button(WORDS.alone(answer.asked, kind), 'lookup', answer.asked);
  return { type: 'Container', items, separator, spacing: separator ? 'Small' : 'None', selectAction };
}

/** Cuts a row's details to some three lines of a phone. The row's own card shows all. */
function clipped(details: Line): Line {
  const words = toPlain(details);
  return line`${words.length > MAX_DETAILS ? `${words.slice(0, MAX_DETAILS).trimEnd()}…` : words}`;
}

function foldedElements(all: readonly Row[]): card.Element[] {
  const names = all.map(({ name, account }) => [...name, accountSuffix(account)]);
  const style = { fontType: 'Monospace', size: 'Small' } as const;
  return all.length > 0 ? [card.richText(card.runs(joinLines(names, ', '), style))] : [];
}

function tokenElements({ answer }: Row): card.Element[] {
  const tokens = tokensOf(answer);
  return tokens.length > 0 ? [card.richText(card.addressRuns(answer)), ...card.codeLines(tokens)] : [];
}
