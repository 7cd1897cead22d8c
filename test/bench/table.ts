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

/** The columns, as printed. */
export const COLUMNS: ReadonlyArray<{ title: string; of(row: Row): string }> = [
  { title: 'CPU ms', of: ({ cpuMs }) => cpuMs.toFixed(2) },
  { title: 'lookups/s', of: ({ lookupsPerSecond }) => lookupsPerSecond.toFixed(0) },
  { title: 'p50 ms', of: ({ p50Ms }) => p50Ms.toFixed(0) },
  { title: 'p99 ms', of: ({ p99Ms }) => p99Ms.toFixed(0) },
  { title: 'RSS MB', of: ({ rssMb }) => rssMb.toFixed(0) },
  { title: '× floor', of: ({ ofFloor }) => ofFloor.toFixed(2) },
  { title: '× peer', of: ({ ofBestPeer }) => ofBestPeer.toFixed(2) },
];

/** The table as text. */
export function textOf(rows: readonly Row[]): string {
  const lines = [
    ['', ...COLUMNS.map(({ title }) => title)],
    ...rows.map((row) => [row.name, ...COLUMNS.map((column) => column.of(row))]),
  ];
  const widths = COLUMNS.map(({ title }) => title.length + 2);
  return lines
    .map(
      ([name = '', ...cells]) =>
        name.padEnd(15) + cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join(''),
    )
    .join('\n');
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
