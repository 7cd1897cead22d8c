import { type Line, line, toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { shorten } from '../format/markdown.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { verdictOf } from './verdict.ts';

/** Fewer devices share something by chance. */
const FEWEST = 3;

/** One device that is not well: its verdict, and what it may share with others. */
type Case = { words: string; networkDevice: string | undefined; reason: Line | undefined };

/**
 * What at least three devices share that are not well: the network device, else the reason of a rejection. Names the share
 * of the most devices. Looks at this answer's data alone.
 */
export function sharedFault(answers: readonly DeviceAnswer[], format: Format): Line | undefined {
  const cases = answers.flatMap((answer) => caseOf(answer, format));
  const groups = Map.groupBy(cases, ({ words }) => words);
  const shares = [...groups].flatMap(([words, group]) => shareOf(words, group, format) ?? []);
  return shares.toSorted((one, other) => other.count - one.count)[0]?.sentence;
}

function caseOf(answer: DeviceAnswer, format: Format): Case[] {
  if (answer.outcome.kind !== 'found') return [];
  const { words, meaning } = verdictOf(answer, format);
  if (words === 'connected' || words === 'session found') return [];
  const { networkDevice, passed } = answer.outcome.record;
  return [{ words, networkDevice, reason: passed === false ? meaning : undefined }];
}

type Share = { count: number; sentence: Line };

function shareOf(words: string, group: readonly Case[], format: Format): Share | undefined {
  const share = (count: number) => [
    `${format.number(count)} of ${format.number(group.length)} ${sayKind(words)}`,
  ];
  const neighbours = mostCommon(group, ({ networkDevice }) => networkDevice);
  const alike = mostCommon(group, ({ reason }) => reason && toPlain(reason));
  const place = neighbours[0]?.networkDevice;
  const reason = alike[0]?.reason;
  if (place !== undefined) {
    const count = neighbours.length;
    return { count, sentence: line`${share(count)} hang on ${shorten(place)}.` };
  }
  return reason && { count: alike.length, sentence: line`${share(alike.length)} for one reason: ${reason}` };
}

/** The cases with the most common value; empty if fewer than three have it. */
function mostCommon(group: readonly Case[], featureOf: (each: Case) => string | undefined): Case[] {
  const known = group.filter((each) => featureOf(each) !== undefined);
  const [most = []] = [...Map.groupBy(known, featureOf).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return most.length < FEWEST ? [] : most;
}

function sayKind(words: string): string {
  return words.endsWith(': waiting') ? `waiting for ${words.slice(0, -': waiting'.length)}` : words;
}
