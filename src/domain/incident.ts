import { z } from 'zod';
import type { MacAddress } from './mac-address.ts';

const untrusted = z.string().max(2000).optional();
/**
 * An alert's own details, as jobs and buttons carry them; all texts are untrusted. `startsAt`: when the incident began, in
 * milliseconds since 1970, as a date can have them. `incidentKey`: the same for all alerts of one incident of one sender.
 * `link`: an https address.
 */
export type AlertDetails = z.infer<typeof detailsSchema>;
const detailsSchema = z.object({
  title: untrusted,
  source: untrusted,
  severity: untrusted,
  startsAt: z.number().min(0).max(8.64e15).optional(),
  incidentKey: untrusted,
  state: z.enum(['firing', 'resolved']),
  link: untrusted,
});
export type State = AlertDetails['state'];

/** An alert's head as a button carries it, so that a press edits the alert's message and keeps it. Untrusted. */
export type AlertHead = z.infer<typeof alertHeadSchema>;
export const alertHeadSchema = z.object({ details: detailsSchema, times: z.number().optional() });

/**
 * An alert that was added to its incident's job, `at` by the store's clock. A detail that it lacks has no key: it must not hide
 * the one before. `request`: the same for a repeat with the same `Idempotency-Key`. `addresses`: of the devices to look up;
 * more are left out.
 */
export type Arrival = z.infer<typeof arrivalSchema>;
export const arrivalSchema = z.object({
  at: z.number(),
  request: z.string(),
  addresses: z.array(z.custom<MacAddress>()),
  leftOut: z.number(),
  details: detailsSchema,
});

/** `askedAt`: since when the NAC is asked. */
type Devices<Answer> = ReadonlyArray<{ address: MacAddress; askedAt: number; answer?: Answer | undefined }>;

/** An incident at one place: its devices, and its published state. Plain data that can be stored; times are the store's. */
export type Incident<Answer> = {
  /** The last alert's details; a missing one is that of an earlier alert. */
  head: AlertDetails;
  /** The earliest beginning of all alerts; without any, when the first arrived. */
  since: number;
  arrivedAt: number;
  /** How many alerts were firing. */
  times: number;
  leftOut: number;
  devices: Devices<Answer>;
  /** The last alert's request: a repeat changes nothing. */
  request: string;
  isPublished: boolean;
  /** The last post that the room or its queue took: its key, and the fingerprints of its devices' states by address. */
  lastPost?: { id: string; devices: Readonly<Record<string, string>> } | undefined;
  /** The state that the thread shows; undefined: none. `messageId`: undefined if there is no message that could be edited. */
  shown?: { messageId?: string | undefined; state: State } | undefined;
};

/** Without a beginning, an alert that fires so long after the end of the last is a new incident. */
const FLAPPING_MS = 5 * 60_000;
/** A repeat within this time does not ask the NAC about a device again. */
const FRESH_MS = 60_000;

/**
 * The incident after an alert. A resolved incident that begins at another time is a new one. The end of an incident of which
 * nothing is known is not published, unless it names devices.
 */
export function takeAlert<Answer>(known: Incident<Answer> | undefined, alert: Arrival) {
  const { details, at, request, addresses, leftOut } = alert;
  if (known?.request === request) return known;
  // A firing incident stays the same if its alert's time differs: the group's earliest alert may be gone.
  const isNew = known === undefined || (known.head.state === 'resolved' && isOther(known, alert));
  if (isNew && addresses.length === 0) return known;
  const before = isNew ? { since: at, times: 0, devices: [] } : known;
  return {
    ...before,
    head: isNew ? details : { ...known.head, ...details }, // A clear need not repeat the title.
    leftOut,
    arrivedAt: at,
    since: Math.min(before.since, details.startsAt ?? at),
    times: before.times + (details.state === 'firing' ? 1 : 0),
    devices: renewed(before.devices, addresses, at),
    request,
    isPublished: false,
  };
}

function isOther(known: Incident<unknown>, { at, details: { state, startsAt } }: Arrival): boolean {
  if (startsAt === undefined) return state === 'firing' && at - known.arrivedAt >= FLAPPING_MS;
  return startsAt !== known.head.startsAt && startsAt !== known.since;
}

function renewed<Answer>(devices: Devices<Answer>, addresses: readonly MacAddress[], at: number) {
  const fresh = devices.filter(({ answer, askedAt }) => answer === undefined || at - askedAt < FRESH_MS);
  const named = addresses.length > 0 ? addresses : devices.map(({ address }) => address);
  return named.map((address) => fresh.find((each) => each.address === address) ?? { address, askedAt: at });
}

export const unanswered = <Answer>(devices: Devices<Answer>) =>
  devices.filter(({ answer }) => answer === undefined);

/** The incident after answers, by the devices' addresses. */
export function takeAnswers<Answer>(known: Incident<Answer>, answers: ReadonlyMap<string, Answer>) {
  if (answers.size === 0) return known;
  const devices = known.devices.map(({ answer, ...each }) => {
    return { ...each, answer: answer ?? answers.get(each.address) };
  });
  return { ...known, devices, isPublished: false };
}

/** Whether the incident was resolved, or reopened, since it was published. */
export const hasNewState = ({ shown, head }: Incident<unknown>) =>
  shown !== undefined && shown.state !== head.state;
