/** The new messages and the digest of one thread. Plain data that can be stored; times are milliseconds. */
export type Storm = {
  /** When the thread's latest messages about new incidents were said. */
  said: number[];
  /** Undefined: the thread has no digest that is still written to. */
  digest?: Digest | undefined;
};

/** The message that the incidents of a storm share. */
export type Digest = {
  /** Undefined: it is not said yet. */
  messageId?: string | undefined;
  changedAt: number;
  lines: Array<{ incident: string; words: string }>;
  /** How many incidents have no line of their own. */
  more: number;
};

/** Teams takes about 60 messages in 30 s in a thread; an incident can need three. */
const MOST_NEW = 10;
const WITHIN_MS = 30_000;

/** After so long without a change, the next storm gets a digest of its own. */
const DIGEST_MS = 10 * 60_000;

/** More lines fill no message of 28 KB. */
const MOST_LINES = 60;

/** Takes a new incident: its own message, or a line in the digest if the thread had 10 new messages in 30 s. */
export function admit(known: Storm | undefined, now: number): { storm: Storm; isInDigest: boolean } {
  const said = (known?.said ?? []).filter((at) => Math.abs(now - at) < WITHIN_MS);
  const isInDigest = said.length >= MOST_NEW;
  return { storm: { ...known, said: isInDigest ? said : [...said, now] }, isInDigest };
}

/** Writes an incident's line into the digest, in the place of its earlier line if there is one. */
export function writeLine(
  known: Storm | undefined,
  line: { incident: string; words: string },
  now: number,
): Storm {
  const { said = [], digest } = known ?? {};
  const open = digest && Math.abs(now - digest.changedAt) < DIGEST_MS ? digest : { lines: [], more: 0 };
  const isThere = open.lines.some(({ incident }) => incident === line.incident);
  const lines = isThere
    ? open.lines.map((each) => (each.incident === line.incident ? line : each))
    : [...open.lines, line].slice(0, MOST_LINES);
  const more = open.more + (!isThere && open.lines.length >= MOST_LINES ? 1 : 0);
  return { said, digest: { ...open, lines, more, changedAt: now } };
}
