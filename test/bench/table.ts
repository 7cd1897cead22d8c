import type { Contender, Figures } from './contenders.ts';

/** The medians of one contender, and its CPU relative to the floor and to the best peer. */
export type Row = Figures & { name: Contender; ofFloor: number; ofBestPeer: number };

/** Not peers: the bare work, and the bot itself. */
const NOT_PEERS: readonly Contender[] = ['floor', 'nac-lookup-bot'];

/** The medians of several rounds, in the order of the contenders. */
export function tableOf(rounds: ReadonlyArray<ReadonlyMap<Contender, Figures>>): Row[] {
  const medians = [...(rounds[0]?.keys() ?? [])].map((name) => ({
    name,
    ...medianOf(rounds.flatMap((round) => round.get(name) ?? [])),
  }));
  const floor = medians.find(({ name }) => name === 'floor')?.cpuMs ?? Number.NaN;
  const peers = medians.filter(({ name }) => !NOT_PEERS.includes(name));
  const bestPeer = Math.min(...peers.map(({ cpuMs }) => cpuMs));
  return medians.map((row) => ({ ...row, ofFloor: row.cpuMs / floor, ofBestPeer: row.cpuMs / bestPeer }));
}

function medianOf(all: readonly Figures[]): Figures {
  const of = (key: keyof Figures) => median(all.map((each) => each[key]));
  const keys = ['cpuMs', 'lookupsPerSecond', 'p50Ms', 'p99Ms', 'rssMb'] as const;
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as Figures;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** The table in Markdown, as CONTRIBUTING has it. */
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
export function verdictsOn(rows: readonly Row[]): string[] {
  const ours = rows.find(({ name }) => name === 'nac-lookup-bot');
  const peers = rows.filter(({ name }) => !NOT_PEERS.includes(name));
  if (ours === undefined || peers.length === 0) return [];
  const rate = ours.lookupsPerSecond / Math.max(...peers.map((peer) => peer.lookupsPerSecond));
  const p99 = ours.p99Ms / Math.min(...peers.map((peer) => peer.p99Ms));
  return [
    verdict('CPU per lookup, relative to the floor', ours.ofFloor, 'at most', 2.2),
    verdict('CPU per lookup, relative to the best peer', ours.ofBestPeer, 'at most', 0.8),
    verdict('lookups per second, relative to the best peer', rate, 'at least', 1.4),
    verdict('p99, relative to the best peer', p99, 'at most', 1),
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
