import { CONTENDERS, type Contender, type Figures } from './contenders.ts';

/** A contender's medians over all rounds, and of its CPU relative to the floor and to the best peer of the same round. */
export type Row = Figures & { name: Contender; ofFloor: number; ofBestPeer: number };
type Rounds = ReadonlyArray<ReadonlyMap<Contender, Figures>>;

const PEERS: readonly Contender[] = ['botbuilder', 'Agents SDK', 'Teams SDK'];

/** The rows, in the order of the contenders. */
export function tableOf(rounds: Rounds): Row[] {
  const names = Object.keys(CONTENDERS) as Contender[];
  return names
    .filter((name) => rounds[0]?.has(name))
    .map((name) => {
      const of = (key: keyof Figures) => median(rounds.map((round) => figure(round, name, key)));
      const keys = ['cpuMs', 'lookupsPerSecond', 'p50Ms', 'p99Ms', 'rssMb'] as const;
      return {
        name,
        ...(Object.fromEntries(keys.map((key) => [key, of(key)])) as Figures),
        ofFloor: ratio(rounds, name, 'cpuMs', ['floor']),
        ofBestPeer: ratio(rounds, name, 'cpuMs'),
      };
    });
}

/** The median of a figure relative to the least (or with `Math.max` the most) that others have in the same round. */
function ratio(
  rounds: Rounds,
  name: Contender,
  key: keyof Figures,
  others: readonly Contender[] = PEERS,
  best: (...values: number[]) => number = Math.min,
): number {
  const present = others.filter((other) => rounds[0]?.has(other));
  const of = (round: Rounds[number]) =>
    figure(round, name, key) / best(...present.map((other) => figure(round, other, key)));
  return median(rounds.map(of));
}

const figure = (round: Rounds[number], name: Contender, key: keyof Figures) =>
  round.get(name)?.[key] ?? Number.NaN;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** The table in Markdown. */
export function textOf(rows: readonly Row[]): string {
  const lines = rows.map(({ name, cpuMs, lookupsPerSecond, p50Ms, p99Ms, rssMb, ofFloor, ofBestPeer }) => {
    const costs = [cpuMs, ofFloor, ofBestPeer].map((each) => each.toFixed(2));
    return [name, ...costs, ...[lookupsPerSecond, p50Ms, p99Ms, rssMb].map((each) => each.toFixed(0))];
  });
  const heads = ['', 'CPU ms', '× floor', '× best peer', 'lookups/s', 'p50 ms', 'p99 ms', 'RSS MB'];
  const all = [heads, heads.map((_, at) => (at === 0 ? '---' : '---:')), ...lines];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The bot's targets, and whether it met them. */
export function verdictsOn(rounds: Rounds): string[] {
  const [ours, asImage] = ['nac-lookup-bot', 'nac-lookup-bot, as in the image'] as const;
  const rate = ratio(rounds, ours, 'lookupsPerSecond', PEERS, Math.max);
  return [
    verdict('CPU per lookup, relative to the floor', ratio(rounds, ours, 'cpuMs', ['floor']), 'at most', 3),
    verdict('CPU per lookup, relative to the best peer', ratio(rounds, ours, 'cpuMs'), 'at most', 0.7),
    verdict('lookups per second, relative to the best peer', rate, 'at least', 1.4),
    verdict('p99, relative to the best peer', ratio(rounds, ours, 'p99Ms'), 'at most', 1),
    verdict('RSS, relative to the lightest peer', ratio(rounds, ours, 'rssMb'), 'at most', 1),
    verdict('RSS as in the image, relative to it', ratio(rounds, asImage, 'rssMb'), 'at most', 0.85),
  ];
}

/** One line for a target: measured, wanted, and whether it is met. */
export function verdict(
  what: string,
  measured: number,
  relation: 'at most' | 'at least',
  wanted: number,
): string {
  const isMet = relation === 'at most' ? measured <= wanted : measured >= wanted;
  return `${isMet ? 'met   ' : 'MISSED'}  ${what}: ${measured.toFixed(2)} (${relation} ${wanted})`;
}
