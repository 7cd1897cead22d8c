type State = 'firing' | 'resolved';
/** A device of an incident. `askedAt`: since when the NAC is asked. `answer` is undefined until it has answered. */
type Device<Answer> = { address: string; askedAt: number; answer?: Given<Answer> | undefined };
/** An answer and when the NAC gave it. Equal answers have equal fingerprints. */
type Given<Answer> = { at: number; fingerprint: string; answer: Answer };
/** The devices of a post, by address, each with the fingerprint of its answer. */
type Posted = Readonly<Record<string, string>>;

/** An incident at one place: its devices, and what was published of it. Plain data that can be stored; times are the store's. */
export type Incident<Head, Answer> = {
  state: State;
  /** What the last alert says of itself, and when the incident began by its words (milliseconds since 1970). */
  head: Head;
  startsAt?: number | undefined;
  /** The earliest that an alert said, or when the first arrived. */
  since: number;
  arrivedAt: number;
  /** How many alerts said that the incident was firing. */
  times: number;
  /** Stands in the messages about the incident. */
  number: number;
  leftOut: number;
  devices: Array<Device<Answer>>;
  /** The last requests, by their keys: a repeat changes nothing. */
  requests: readonly string[];
  /** Grows with each change that must be published. */
  version: number;
  /** The devices that the room was told of, and the post that it has not taken yet. Undefined: nothing was posted. */
  posted?: Posted | undefined;
  waiting?: { post: string; posted: Posted } | undefined;
  /** What the thread was told. Undefined: nothing. */
  thread?: Thread | undefined;
};

/** How an incident stands in its thread. `messageId` is undefined if there is no message that could be edited. */
export type Shown = { messageId?: string | undefined; isInDigest: boolean };
/** `answeredAt`: when each answer was given that the thread shows. */
type Thread = Shown & { version: number; state: State; answeredAt: Readonly<Record<string, number>> };
type AnyIncident = Incident<unknown, unknown>;

/** An alert as it arrived, `at` by the store. */
export type Arrival<Head> = Pick<
  Incident<Head, never>,
  'state' | 'startsAt' | 'head' | 'leftOut' | 'number'
> & {
  at: number;
  request: string;
  addresses: readonly string[];
};

/** Where no alert says when it began: one that fires so long after the end of the last is a new incident. */
const FLAPPING_MS = 5 * 60_000;
/** A repeat within this time does not ask the NAC about a device again. */
const FRESH_MS = 60_000;
const MAX_REQUESTS = 20;

/**
 * The incident after an alert. A resolved incident that begins at another time is a new one. The end of an incident of which
 * nothing is known is not published, unless it names devices.
 */
export function takeAlert<Head, Answer>(
  known: Incident<Head, Answer> | undefined,
  alert: Arrival<Head>,
): Incident<Head, Answer> | undefined {
  const { at, request, addresses, ...said } = alert;
  const { state, startsAt = at } = said;
  if (known?.requests.includes(request)) return known;
  const count = state === 'firing' ? 1 : 0;
  // A firing incident stays the same whatever its alert's time: the group's earliest alert may be gone.
  if (known === undefined || (known.state === 'resolved' && isOther(known, alert))) {
    if (addresses.length === 0) return known;
    const devices = addresses.map((address) => ({ address, askedAt: at }));
    const first = { since: Math.min(startsAt, at), times: count, version: 1, requests: [request] };
    return { ...said, ...first, arrivedAt: at, devices };
  }
  return {
    ...known,
    ...said,
    startsAt: alert.startsAt,
    number: known.number,
    arrivedAt: at,
    since: Math.min(known.since, startsAt),
    times: known.times + count,
    devices: renewed(known, addresses, at),
    requests: [...known.requests, request].slice(-MAX_REQUESTS),
    version: known.version + 1,
  };
}

function isOther(known: AnyIncident, { at, state, startsAt }: Arrival<unknown>): boolean {
  const isTimed = startsAt !== known.startsAt && startsAt !== known.since;
  const isUntimed = startsAt === undefined && state === 'firing';
  return isTimed || (isUntimed && at - known.arrivedAt >= FLAPPING_MS);
}

/** The devices that a later alert names, or all if it names none; each as it is known if its answer is recent or to come. */
function renewed<Answer>(
  { devices }: Pick<Incident<unknown, Answer>, 'devices'>,
  addresses: readonly string[],
  at: number,
): Device<Answer>[] {
  const isFresh = ({ answer }: Device<Answer>) => answer === undefined || at - answer.at < FRESH_MS;
  const named = addresses.length > 0 ? addresses : devices.map(({ address }) => address);
  const fresh = devices.filter(isFresh);
  return named.map((address) => fresh.find((each) => each.address === address) ?? { address, askedAt: at });
}

export function unanswered<Answer>({
  devices,
}: Pick<Incident<unknown, Answer>, 'devices'>): Device<Answer>[] {
  return devices.filter(({ answer }) => answer === undefined);
}

/** The incident after answers, by the devices' addresses. */
export function takeAnswers<Head, Answer>(
  known: Incident<Head, Answer>,
  answers: ReadonlyMap<string, Given<Answer>>,
): Incident<Head, Answer> {
  if (!unanswered(known).some(({ address }) => answers.has(address))) return known;
  const devices = known.devices.map((device) =>
    device.answer ? device : { ...device, answer: answers.get(device.address) },
  );
  return { ...known, devices, version: known.version + 1 };
}

/** What is to be published: `again` is the same state with other devices or answers. */
export type Difference = 'new' | 'again' | 'resolved' | 'reopened' | 'nothing';

export function differenceOf({ thread, state, version }: AnyIncident): Difference {
  if (thread === undefined) return 'new';
  if (thread.version === version) return 'nothing';
  if (thread.state === state) return 'again';
  return state === 'resolved' ? 'resolved' : 'reopened';
}

/** The answers that the room does not have, and the addresses that are no longer in the alert. */
export function notYetPosted<Answer>({ devices, posted = {} }: Incident<unknown, Answer>) {
  const changed = devices.flatMap(({ address, answer }) =>
    answer !== undefined && answer.fingerprint !== posted[address] ? [answer.answer] : [],
  );
  const isGone = (address: string) => !devices.some((each) => each.address === address);
  return { changed, gone: Object.keys(posted).filter(isGone) };
}

/** The incident after a post of all that the room does not have. @param waiting the post that the room has not taken yet */
export function afterPost<Known extends AnyIncident>(known: Known, waiting?: string): Known {
  const posted = byAddress(known, ({ fingerprint }) => fingerprint);
  return waiting === undefined
    ? { ...known, posted, waiting: undefined }
    : { ...known, waiting: { post: waiting, posted } };
}

/** The incident once its waiting post was taken by the room, or given up: then the room never had it. */
export function afterWaiting<Known extends AnyIncident>(known: Known, isTaken: boolean): Known {
  return { ...known, posted: isTaken ? known.waiting?.posted : known.posted, waiting: undefined };
}

export function afterPublishing<Known extends AnyIncident>(known: Known, shown: Shown): Known {
  const { version, state } = known;
  return { ...known, thread: { version, state, ...shown, answeredAt: byAddress(known, ({ at }) => at) } };
}

function byAddress<Value>({ devices }: AnyIncident, read: (answer: Given<unknown>) => Value) {
  const values = devices.flatMap(({ address, answer }) => (answer ? [[address, read(answer)] as const] : []));
  return Object.fromEntries<Value>(values);
}
