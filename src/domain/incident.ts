type State = 'firing' | 'resolved';
/** A device of an incident. `answer` is undefined while the NAC is still asked. */
type Device<Answer> = { address: string; answer?: Told<Answer> | undefined };
/** An answer and when the NAC gave it. Equal answers have equal fingerprints. */
type Told<Answer> = { at: number; fingerprint: string; said: Answer };
type Devices<Answer> = { devices: Array<Device<Answer>> };

/** An incident at one place: its devices, and what was told of it. Plain data that can be stored; times are milliseconds. */
export type Incident<Head, Answer> = Devices<Answer> & {
  state: State;
  /** What the last alert says of itself, and when the incident began by its words. */
  head: Head;
  startsAt?: number | undefined;
  /** The earliest that an alert said, or when the first arrived. */
  since: number;
  arrivedAt: number;
  /** How many alerts said that the incident was firing. */
  times: number;
  /** The arrival numbers of the first alert and the last. */
  firstSeq: number;
  seq: number;
  /** Stands in the messages about the incident. */
  number: number;
  leftOut: number;
  /** Grows with each change that must be told. */
  version: number;
  /** What the room was told, by address, and the post of it that may still wait. Undefined: nothing. */
  posted?: { fingerprints: Record<string, string>; waiting?: string | undefined } | undefined;
  /** What the thread was told. Undefined: nothing. */
  thread?: Thread | undefined;
};

/** How an incident stands in its thread. `messageId` is undefined if there is no message that could be edited. */
export type Shown = { messageId?: string | undefined; isInDigest: boolean };
/** `answeredAt`: when each answer was given that was told. */
type Thread = Shown & { version: number; state: State; answeredAt: Record<string, number> };
type AnyIncident = Incident<unknown, unknown>;

/** An alert as it arrived: `seq` is the store's order of arrival. */
export type Arrival<Head> = Pick<
  Incident<Head, never>,
  'seq' | 'state' | 'startsAt' | 'head' | 'leftOut' | 'number'
> & { at: number; addresses: readonly string[] };

/** An incident after an event, whom to ask the NAC about, and whether to tell now, or soon: more may become known. */
export type Step<Head, Answer> = {
  incident: Incident<Head, Answer> | undefined;
  ask: readonly string[];
  tell: 'now' | 'soon' | 'no';
};

/** Where no alert says when it began: one that fires so long after the end of the last is a new incident. */
const FLAPPING_MS = 5 * 60_000;
/** A repeat within this time does not ask the NAC about a device again. */
const FRESH_MS = 60_000;
/** An alert has at most so many devices; alerts that arrived out of order can add theirs. */
const MOST_DEVICES = 20;

/**
 * Takes an alert. An alert that arrived before the last one changes no state. A resolved incident that begins at another time
 * is a new one. The end of an incident of which nothing is known is not told, unless it names devices.
 */
export function takeAlert<Head, Answer>(
  known: Incident<Head, Answer> | undefined,
  alert: Arrival<Head>,
): Step<Head, Answer> {
  const { at, addresses, ...said } = alert;
  const { seq, state, startsAt = at } = said;
  // A process died before its job was done.
  if (known?.seq === seq) return { incident: known, ask: waitingOf(known), tell: 'soon' };
  const count = state === 'firing' ? 1 : 0;
  const isTimed = alert.startsAt !== known?.startsAt && alert.startsAt !== known?.since;
  const isOther =
    isTimed || (startsAt === at && state === 'firing' && at - (known?.arrivedAt ?? at) >= FLAPPING_MS);
  // A firing incident stays the same whatever its alert's time: the group's earliest alert may be gone.
  if (known === undefined || (known.state === 'resolved' && seq > known.seq && isOther)) {
    if (addresses.length === 0) return { incident: known, ask: [], tell: 'no' };
    const first = { firstSeq: seq, since: Math.min(startsAt, at), times: count, version: 1 };
    const devices = addresses.map((address) => ({ address }));
    return { incident: { ...said, ...first, arrivedAt: at, devices }, ask: addresses, tell: 'soon' };
  }
  const isLate = seq < known.seq;
  const devices = isLate ? withMore(known, addresses) : renewed(known, addresses, at);
  const since = Math.min(known.since, startsAt);
  const counted = { ...known, devices, since, times: known.times + count, version: known.version + 1 };
  const isTold = !isLate && state !== known.state && waitingOf(counted).length === 0;
  return {
    incident: isLate
      ? counted
      : { ...counted, ...said, startsAt: alert.startsAt, number: known.number, arrivedAt: at },
    ask: devices.filter((each) => !known.devices.includes(each)).map(({ address }) => address),
    tell: isTold ? 'now' : 'soon',
  };
}

function withMore<Answer>({ devices }: Devices<Answer>, addresses: readonly string[]): Device<Answer>[] {
  const more = addresses.filter((address) => !devices.some((each) => each.address === address));
  return [...devices, ...more.map((address) => ({ address }))].slice(0, MOST_DEVICES);
}

/** The devices that a later alert names, or all if it names none; each as it is known if its answer is recent or to come. */
function renewed<Answer>({ devices }: Devices<Answer>, addresses: readonly string[], at: number) {
  const isFresh = ({ answer }: Device<Answer>) => answer === undefined || Math.abs(at - answer.at) < FRESH_MS;
  const named = addresses.length > 0 ? addresses : devices.map(({ address }) => address);
  const fresh = devices.filter(isFresh);
  return named.map((address) => fresh.find((each) => each.address === address) ?? { address });
}

export function waitingOf({ devices }: Devices<unknown>): string[] {
  return devices.flatMap(({ address, answer }) => (answer === undefined ? [address] : []));
}

/** Takes the answer about a device. An answer that nobody waits for changes nothing. */
export function takeAnswer<Head, Answer>(
  known: Incident<Head, Answer> | undefined,
  address: string,
  answer: Told<Answer>,
): Step<Head, Answer> {
  const device = known?.devices.find((each) => each.address === address);
  if (known === undefined || device === undefined) return { incident: known, ask: [], tell: 'no' };
  // A process may have died before the answer was told.
  if (device.answer !== undefined) return { incident: known, ask: [], tell: 'soon' };
  const devices = known.devices.map((each) => (each === device ? { address, answer } : each));
  const incident = { ...known, devices, version: known.version + 1 };
  const later = known.thread === undefined && known.posted === undefined ? 'no' : 'soon';
  return { incident, ask: [], tell: waitingOf(incident).length === 0 ? 'now' : later };
}

/** What is to be told: `again` is the same state with other devices or answers. */
export type Difference = 'new' | 'again' | 'resolved' | 'reopened' | 'nothing';

export function differenceOf({ thread, state, version }: AnyIncident): Difference {
  if (thread === undefined) return 'new';
  if (thread.version === version) return 'nothing';
  if (thread.state === state) return 'again';
  return state === 'resolved' ? 'resolved' : 'reopened';
}

export function unheard<Answer>({ devices, posted }: Incident<unknown, Answer>) {
  const before = posted?.fingerprints ?? {};
  const changed = devices.flatMap(({ address, answer }) =>
    answer !== undefined && answer.fingerprint !== before[address] ? [answer.said] : [],
  );
  const isGone = (address: string) => !devices.some((each) => each.address === address);
  return { changed, gone: Object.keys(before).filter(isGone) };
}

/** Remembers what the room was told. `told`: the incident as it was told. @param waiting the post that is kept for later */
export function afterPost<Known extends AnyIncident>(known: Known, told: Known, waiting?: string): Known {
  if (known.firstSeq !== told.firstSeq) return known;
  return { ...known, posted: { fingerprints: ofAnswers(told, ({ fingerprint }) => fingerprint), waiting } };
}

export function afterTelling<Known extends AnyIncident>(known: Known, told: Known, shown: Shown): Known {
  if (known.firstSeq !== told.firstSeq) return known;
  const { version, state } = told;
  return { ...known, thread: { version, state, ...shown, answeredAt: ofAnswers(told, ({ at }) => at) } };
}

function ofAnswers<Value>({ devices }: Devices<unknown>, read: (answer: Told<unknown>) => Value) {
  const told = devices.flatMap(({ address, answer }) => (answer ? [[address, read(answer)] as const] : []));
  return Object.fromEntries<Value>(told);
}

/** The new messages and the digest of one thread. Plain data that can be stored; times are milliseconds. */
export type Storm = { said: number[]; digest?: Digest | undefined };
export type Digest = {
  messageId?: string | undefined;
  changedAt: number;
  lines: Array<{ incident: string; words: string }>;
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
export function admitNew(known: Storm | undefined, now: number): { storm: Storm; isInDigest: boolean } {
  const said = (known?.said ?? []).filter((at) => Math.abs(now - at) < WITHIN_MS);
  const isInDigest = said.length >= MOST_NEW;
  return { storm: { ...known, said: isInDigest ? said : [...said, now] }, isInDigest };
}

/** Writes an incident's line into the digest, in the place of its earlier line if there is one. */
export function writeLine(known: Storm | undefined, line: Digest['lines'][number], now: number): Storm {
  const { said = [], digest } = known ?? {};
  const isOpen = digest && Math.abs(now - digest.changedAt) < DIGEST_MS;
  const { lines, more, ...open }: Digest = isOpen ? digest : { lines: [], more: 0, changedAt: now };
  const place = lines.findIndex(({ incident }) => incident === line.incident);
  const all = place === -1 ? [...lines, line] : lines.with(place, line);
  const leftOut = Math.max(all.length - MOST_LINES, 0);
  const changed = { lines: all.slice(0, MOST_LINES), more: more + leftOut, changedAt: now };
  return { said, digest: { ...open, ...changed } };
}
