import { z } from 'zod';
import type { Job, Queue } from '../../src/domain/jobs.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import * as rules from '../../src/domain/watch.ts';
import { fingerprintOf } from '../lookup/changes.ts';
import { type ReportParts, reportNumber } from '../lookup/device-lookups.ts';
import { verdictOf } from '../render/describe.ts';
import type { DeviceAnswer } from '../render/device.ts';
import { conversationOf, isTargetedPlace, type Place, placeForAll, threadOf } from '../render/message.ts';
import { type Line, toBare } from '../render/words.ts';

/** Who asked, by the id that is the same in all conversations, and where. */
export type Asker = { id: string; place: Place };
export type DeviceWatch = rules.Watch<Asker, DeviceAnswer>;

/** The job of a watched device, whose key is its MAC address. `answer`: not yet applied to the watches. */
export const watchJobSchema = z
  .object({
    watches: z.custom<DeviceWatch[]>(Array.isArray),
    answer: z.custom<rules.Answer<DeviceAnswer>>().optional(),
  })
  .nullable();
export type WatchJob = z.infer<typeof watchJobSchema>;

export type WatchParts = ReportParts & {
  jobs: { watch: Pick<Queue<WatchJob>, 'wake' | 'list'> };
  /** Runs tasks of all processes one after another. */
  lockWatches<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Whether a person may still use the bot at a place that was stored. */
  isStillAllowed(place: Place): Promise<boolean>;
};

/** The most watches of one person, and of all. */
export const [MAX_OWN, MAX_ALL] = [5, 100];

const threadAt = (place: Place) => fingerprintOf([threadOf(place)]);
const isNotErased = (asker: Asker | null | undefined) => asker?.place?.reference.user !== undefined;

/** The ids are the chat service's; the name is untrusted. */
export function userOf({ place }: Asker) {
  const { id = '', name = '' } = Object(place.reference.user);
  return { id: String(id), name: String(name || id) };
}

/** Returns the watches of a job after the NAC's answer, and what people asked for since its last run. */
export function watchesIn({ data, added }: Pick<Job<WatchJob>, 'data' | 'added'>): DeviceWatch[] {
  const before = (data?.watches ?? []).map((each) => ({ ...each, askers: each.askers.filter(isNotErased) }));
  const requests = added
    .map(({ at, data }) => ({ ...(data as rules.WatchRequest<Asker>), at }))
    .filter((each) => each.kind === 'stop' || isNotErased(each.asker));
  return [...requests, ...(data?.answer ? [data.answer] : [])]
    .toSorted((one, other) => one.at - other.at)
    .reduce<DeviceWatch[]>(rules.applyEvent, before)
    .filter(({ askers }) => askers.length > 0);
}

/** All watches in the database, each with its device. `now`: when they were read, by the store's clock. */
async function allWatches({ jobs }: Pick<WatchParts, 'jobs'>) {
  return (await jobs.watch.list('open')).flatMap(({ key, data, added, now }) => {
    const watches = data === undefined ? [] : watchesIn({ data, added });
    return watches.map((each) => ({ ...each, address: key as MacAddress, now }));
  });
}

/** The number of watches, and for how long the oldest has been due (milliseconds). */
export async function countWatches(bot: Pick<WatchParts, 'jobs'>) {
  const all = await allWatches(bot);
  return { count: all.length, overdueMs: Math.max(0, ...all.map(({ now, dueAt }) => now - dueAt)) };
}

/** The watches of a thread that the readers of a place may see. */
export async function watchesAt(place: Place, bot: WatchParts) {
  const threads = [threadAt(place), threadAt(placeForAll(place))];
  return (await allWatches(bot)).filter(({ thread }) => threads.includes(thread));
}

/** @param answer undefined: the NAC has not answered yet */
export function stateBy(answer: DeviceAnswer | undefined): rules.WatchedState {
  if (answer === undefined) return { standing: undefined, verdict: ['not known'], node: undefined };
  const { outcome } = answer;
  const node = 'node' in outcome ? outcome.node : undefined;
  return { standing: rules.standingOf(outcome), verdict: verdictOf(answer).heading, node };
}

/** Begins, joins or renews a watch. */
export function begin(address: MacAddress, first: rules.WatchedState, asker: Asker, bot: WatchParts) {
  const thread = threadAt(asker.place);
  return bot.lockWatches(async () => {
    const all = await allWatches(bot);
    const known = all.find((each) => each.address === address && each.thread === thread);
    const own = all.filter(({ askers }) => askers.some(({ id }) => id === asker.id));
    if (!(known && own.includes(known)) && own.length >= MAX_OWN) return 'too many of yours';
    if (!known && all.length >= MAX_ALL) return 'too many';
    const request: rules.WatchRequest<Asker> = { kind: 'join', thread, asker, first };
    if ((await bot.jobs.watch.wake(address, null, request)) === 'full') return 'too many';
    auditWatch('begin', address, asker, first.verdict, bot);
    return 'begun';
  });
}

/** Stops a watch for everyone, or a person's part in it. */
export async function stop(
  { address, thread }: { address: MacAddress; thread: string },
  asker: Asker,
  isOwn: boolean,
  bot: WatchParts,
): Promise<void> {
  const request: rules.WatchRequest<Asker> = { kind: 'stop', thread, by: isOwn ? asker.id : undefined };
  await bot.jobs.watch.wake(address, null, request);
  auditWatch('stop', address, asker, undefined, bot);
}

/** Writes an audit line about a person who asked, or who stopped the watch. */
export function auditWatch(
  event: 'begin' | 'stop' | 'end',
  address: MacAddress,
  { id: person, place }: Asker,
  verdict: Line | undefined,
  { audit, clock }: Pick<WatchParts, 'audit' | 'clock'>,
): void {
  audit({
    number: reportNumber(address),
    by: 'watch',
    event,
    person,
    conversation: conversationOf(place),
    private: isTargetedPlace(place) ? true : undefined,
    asked: address,
    address,
    verdict: verdict && toBare(verdict),
    answeredAt: new Date(clock.now()).toISOString(),
  });
}
