import { recordOf, tokensOf } from '../../src/domain/outcome.ts';
import { type Description, describe, firstLine, verdictOf, worstFirst } from './describe.ts';
import type { Answers, Devices } from './device.ts';
import * as card from './message.ts';
import { type Formatter, joinLines, type Line, line, named, sentence, shorten, toPlain } from './words.ts';

/** A card shows the reason of so many devices; more would fill several screens of a phone. */
const MAX_EXPLAINED = 6;
const MAX_DETAILS = 120;
const MAX_KINDS = 4;
const FOLDED = { fontType: 'Monospace', size: 'Small' } as const;

/** The answer about several devices, the worst first. `more`: the tokens of each. */
export function devicesParts(devices: Devices, formatter: Formatter) {
  const { answers, waiting } = devices;
  const { unwell, well, others, shared } = triage(answers, formatter);
  const isWhole = waiting.length === 0;
  const asking = waiting.map((address) => line`${address}: still asking`);
  const counts = headline(devices);
  const names = well.map(({ name }) => name);
  const parts: card.Part[] = [
    { text: [[counts]], elements: [card.heading(counts)] },
    ...shared.map((each) => card.linesPart([each])),
    ...unwell.map(toText),
    { elements: unwellElements(unwell) },
    ...(isWhole ? others.map(card.notePart) : []),
    ...well.map(toText),
    { elements: names.length > 0 ? [card.richText(card.runs(joinLines(names, ', '), FOLDED))] : [] },
    ...(isWhole ? [] : [card.linesPart(asking, { isSubtle: true })]),
  ];
  return { parts, more: [...unwell, ...well].flatMap(tokenElements) };
}

/** Sorts several devices, the worst first. `shared`: a place, and reasons, which stand there alone. */
export function triage(answers: Answers, formatter: Formatter) {
  const all = worstFirst(answers).map((answer) => describe(answer, formatter));
  const unknown = all.filter(({ outcome }) => outcome.kind !== 'found');
  const alike = Map.groupBy(unknown, ({ explanation }) => toPlain(explanation));
  const reasons = [...alike.values()].flatMap(([one, other]) => (one && other ? [one.explanation] : []));
  const said = reasons.map(toPlain);
  const rows = all.map((each) =>
    said.includes(toPlain(each.explanation)) ? { ...each, explanation: [] } : each,
  );
  const well = rows.filter(({ tone }) => tone === 'Good');
  const unwell = rows.slice(0, rows.length - well.length);
  const others = unwell.length > 0 && well.length > 0 ? ['The rest is well.'] : [];
  const shared = [...sharedPlace(unwell), ...reasons.filter(({ length }) => length > 0)];
  return { unwell, well, others, shared };
}

/** Fewer devices may share something by chance. */
const MIN_ALIKE = 3;

/** The network device that most unwell devices of one verdict share. */
function sharedPlace(unwell: readonly Description[]): Line[] {
  const placed = unwell.filter((each) => each.counted !== 'session found' && recordOf(each).networkDevice);
  const groups = Map.groupBy(placed, (each) => `${each.counted} ${recordOf(each).networkDevice}`);
  const [most = []] = [...groups.values()].toSorted((one, other) => other.length - one.length);
  const [first] = most;
  if (first === undefined || most.length < MIN_ALIKE) return [];
  const { length } = unwell.filter(({ counted }) => counted === first.counted);
  const words = `${most.length} of ${length} ${first.counted} are on `;
  return [sentence(named(words, recordOf(first).networkDevice))];
}

/** Counts each kind of answer, the worst first, or the answers while some are missing. */
export function headline({ answers, waiting }: Devices): string {
  const all = answers.length + waiting.length;
  if (waiting.length > 0) return `${answers.length} of ${all} answered so far.`;
  const kinds = Map.groupBy(worstFirst(answers), (answer) => verdictOf(answer).counted);
  const counts = [...kinds].map(([kind, { length }]) => `${length} ${kind}`);
  const others = counts.length > MAX_KINDS ? ', and others' : '';
  return `${all} devices: ${counts.slice(0, MAX_KINDS).join(', ')}${others}.`;
}

function toText(row: Description): card.Part {
  const { name, heading, tone, explanation, where, hints } = row;
  const why = tone === 'Good' ? [] : [explanation, ...hints];
  const said = firstLine(name, heading, joinLines([...why, where], ' '));
  return { text: [said, ...tokensOf(row).map((token) => line`${token}`)] };
}

/** The first in full on the colour of their verdicts, the others one line each. */
function unwellElements(all: readonly Description[]): card.Element[] {
  const explained = Map.groupBy(all.slice(0, MAX_EXPLAINED), ({ tone }) => tone);
  return [
    ...[...explained].map(([tone, some]) => card.toned(tone, some.map(explainedRow))),
    ...all.slice(MAX_EXPLAINED).map((each) => rowElement(each, [each.counted])),
  ];
}

function explainedRow(row: Description): card.Element {
  const { heading, explanation, where, hints } = row;
  const details = joinLines([explanation.length > 0 ? explanation : hints[0], where], ' ');
  return rowElement(row, heading, details.length > 0 ? [shorten(toPlain(details), MAX_DETAILS)] : []);
}

/** A row that looks its device up alone when it is pressed. */
function rowElement(row: Description, title: Line, details: readonly string[] = []): card.Element {
  const { asked, counted } = row;
  const more = details.map((each) => card.richText(card.runs(line`${each}`, { isSubtle: true }), 'None'));
  const items = [card.richText(card.titleRuns(title, row, [' ›'])), ...more];
  const selectAction = card.button(`${asked} ${counted}: look up alone`, 'lookup', asked);
  return { type: 'Container', items, separator: true, spacing: 'Small', selectAction };
}

function tokenElements(row: Description): card.Element[] {
  const tokens = tokensOf(row);
  return tokens.length > 0 ? [card.richText(card.addressRuns(row)), ...card.codeLines(tokens)] : [];
}
