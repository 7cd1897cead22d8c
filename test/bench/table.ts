import { CONTENDERS, type Contender, load, withContender } from './contenders.ts';

/**
 * A contender's cost of one lookup: milliseconds of CPU over all threads; milliseconds from a message to its
 * acknowledgement (the median and the 99th percentile); megabytes (10^6) of memory at the end.
 */
const FIGURES = ['cpuMs', 'lookupsPerSecond', 'p50Ms', 'p99Ms', 'rssMb'] as const;
type Figures = Record<(typeof FIGURES)[number], number>;

/** A contender's medians over all rounds. Its CPU is also relative to the floor and to the best peer of the same round. */
type Row = Figures & { name: Contender; ofFloor: number; ofBestPeer: number };
type Rounds = ReadonlyArray<ReadonlyMap<Contender, Figures>>;

const PEERS: readonly Contender[] = ['botbuilder', 'Agents SDK', 'Teams SDK'];

/**
 * Warm-up messages for each measured message. V8 optimises a function after some thousand calls. After 5,000 warm-up
 * lookups, its compiler takes a tenth of the CPU of 10,000 lookups; after 20,000, a fortieth.
 */
const WARM_UPS = 2;

/** Measures all contenders in turn. Each round begins with another one, so that noise affects all of them. */
export async function* measureTable(options: { rounds: number; messages: number }): AsyncGenerator<string> {
  const { messages } = options;
  const rounds: Array<Map<Contender, Figures>> = [];
  for (let round = 0; round < options.rounds; round++) {
    const figures = new Map<Contender, Figures>();
    const first = round % CONTENDERS.length;
    for (const contender of [...CONTENDERS.slice(first), ...CONTENDERS.slice(0, first)])
      figures.set(contender, await measure(contender, messages));
    rounds.push(figures);
    yield `round ${round + 1}: ${[...figures].map(([name, { cpuMs }]) => `${name} ${cpuMs.toFixed(3)}`).join(', ')}`;
  }
  yield `\n${toMarkdown(summarize(rounds))}\n`;
  yield* checkTargets(rounds);
}

/** The cost of a lookup, once the code is compiled and the connections are open. */
const measure = (name: Contender, messages: number) =>
  withContender(name, {}, async (running, stage): Promise<Figures> => {
    await load(running, stage, WARM_UPS * messages);
    const before = await running.usage();
    const { latency, seconds } = await load(running, stage, messages);
    const { cpuMs, rssMb } = await running.usage();
    const perLookup = { cpuMs: (cpuMs - before.cpuMs) / messages, lookupsPerSecond: messages / seconds };
    return { ...perLookup, p50Ms: latency.p50, p99Ms: latency.p99, rssMb };
  });

/** Returns the rows, in the order of the contenders. */
function summarize(rounds: Rounds): Row[] {
  return CONTENDERS.filter((name) => rounds[0]?.has(name)).map((name) => {
    const medians = FIGURES.map((key) => [key, median(rounds.map((round) => figure(round, name, key)))]);
    const [ofFloor, ofBestPeer] = [ratio(rounds, name, 'cpuMs', ['floor']), ratio(rounds, name, 'cpuMs')];
    return { name, ...(Object.fromEntries(medians) as Figures), ofFloor, ofBestPeer };
  });
}

/** Returns the median of a figure, relative to the lowest of the others in the same round (with `Math.max`, the highest). */
function ratio(
  rounds: Rounds,
  name: Contender,
  key: keyof Figures,
  others: readonly Contender[] = PEERS,
  best: (...values: number[]) => number = Math.min,
): number {
  const present = others.filter((other) => rounds[0]?.has(other));
  const inRound = (round: Rounds[number]) =>
    figure(round, name, key) / best(...present.map((other) => figure(round, other, key)));
  return median(rounds.map(inRound));
}

const figure = (round: Rounds[number], name: Contender, key: keyof Figures) =>
  round.get(name)?.[key] ?? Number.NaN;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** Renders the table in Markdown. */
function toMarkdown(rows: readonly Row[]): string {
  const lines = rows.map(({ name, cpuMs, lookupsPerSecond, p50Ms, p99Ms, rssMb, ofFloor, ofBestPeer }) => {
    const costs = [cpuMs, ofFloor, ofBestPeer].map((each) => each.toFixed(2));
    return [name, ...costs, ...[lookupsPerSecond, p50Ms, p99Ms, rssMb].map((each) => each.toFixed(0))];
  });
  const heads = ['', 'CPU ms', '× floor', '× best peer', 'lookups/s', 'p50 ms', 'p99 ms', 'RSS MB'];
  const all = [heads, heads.map((_, at) => (at === 0 ? '---' : '---:')), ...lines];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Compares the bot with its targets. The peers have no bound, so the bot has 64 places at the NAC instead of its default of four. */
function checkTargets(rounds: Rounds): string[] {
  const name = 'nac-lookup-bot, 64 places';
  const rate = ratio(rounds, name, 'lookupsPerSecond', PEERS, Math.max);
  const image = ratio(rounds, 'nac-lookup-bot, as in the image', 'rssMb');
  return [
    verdict('CPU, relative to the floor', ratio(rounds, name, 'cpuMs', ['floor']), 'at most', 3.1),
    verdict('CPU, relative to the best peer', ratio(rounds, name, 'cpuMs'), 'at most', 0.9),
    verdict('lookups per second, relative to the best peer', rate, 'at least', 1.1),
    verdict('p99, relative to the best peer', ratio(rounds, name, 'p99Ms'), 'at most', 1),
    verdict('RSS, relative to the lightest peer', ratio(rounds, name, 'rssMb'), 'at most', 1),
    verdict('RSS as in the image, relative to the lightest peer', image, 'at most', 0.85),
  ];
}

/** Renders one line for a target: measured, wanted, and whether it is met. */
export function verdict(
  what: string,
  measured: number,
  relation: 'at most' | 'at least',
  wanted: number,
): string {
  const isMet = relation === 'at most' ? measured <= wanted : measured >= wanted;
  return `${isMet ? 'met   ' : 'MISSED'}  ${what}: ${measured.toFixed(2)} (${relation} ${wanted})`;
}
