import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { DeadJob, Job, JobOutcome, Queue, Work } from '../../src/domain/jobs.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import * as rules from '../../src/domain/watch.ts';
import { fingerprintOf } from '../lookup/changes.ts';
import { finishLookup, type ReportParts, startLookups } from '../lookup/device-lookups.ts';
import { reportNumber } from '../lookup/job-keys.ts';
import { verdictOf } from '../render/describe.ts';
import type { DeviceAnswer } from '../render/device.ts';
import * as messages from '../render/message.ts';
import { type Line, line, toBare, toMarkdown } from '../render/words.ts';

/** Who asked, by the id that is the same in all conversations, and where. */
export type Asker = { id: string; place: messages.Place };
export type DeviceWatch = rules.Watch<Asker, DeviceAnswer>;

/** The job of a watched device, whose key is its MAC address. */
export const watchJobSchema = z.object({ watches: z.custom<DeviceWatch[]>(Array.isArray) }).nullable();
export type WatchJob = z.infer<typeof watchJobSchema>;

export type WatchParts = ReportParts & {
  jobs: { watch: Pick<Queue<WatchJob>, 'wake' | 'list'> };
  /** Runs tasks of all processes one after another. */
  lockWatches<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Whether a person may still use the bot at a place that was stored. */
  isStillAllowed(place: messages.Place): Promise<boolean>;
};

/** The most watches of one person, and of all. */
export const [MAX_OWN, MAX_ALL] = [5, 100];

const threadAt = (place: messages.Place) => fingerprintOf([messages.threadOf(place)]);
const isNotErased = (asker: Asker | null | undefined) => asker?.place?.reference.user !== undefined;

/** The ids are the chat service's; the name is untrusted. */
export function userOf({ place }: Asker) {
  const { id = '', name = '' } = Object(place.reference.user);
  return { id: String(id), name: String(name || id) };
}

/** Returns the watches of a job after what people asked for since its last run. */
export function watchesIn({ data, added }: Pick<Job<WatchJob>, 'data' | 'added'>): DeviceWatch[] {
  const before = (data?.watches ?? []).map((each) => ({ ...each, askers: each.askers.filter(isNotErased) }));
  return added
    .map(({ at, data }) => ({ ...(data as rules.WatchRequest<Asker>), at }))
    .filter((each) => each.kind === 'stop' || isNotErased(each.asker))
    .reduce<DeviceWatch[]>(rules.applyRequest, before)
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
export async function watchesAt(place: messages.Place, bot: WatchParts) {
  const threads = [threadAt(place), threadAt(messages.placeForAll(place))];
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
function auditWatch(
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
    conversation: messages.conversationOf(place),
    private: messages.isTargetedPlace(place) ? true : undefined,
    asked: address,
    address,
    verdict: verdict && toBare(verdict),
    answeredAt: new Date(clock.now()).toISOString(),
  });
}

/** Asks the NAC for watches. No person has this id, so the service account is used. */
const ASKER = 'watch/';

/** The work on one device's watches. `now`: by the store's clock. `pace` waits until the next call to the NAC may begin. */
type Run = { address: MacAddress; now: () => number; pace: () => Promise<void>; bot: WatchParts };
const OVER: JobOutcome<WatchJob> = { kind: 'done', data: { watches: [] }, keepMs: 0 };

/** Returns the work on a device's watches. A run sends one message or asks the NAC once; then the row is written. */
export function createWatchWork(bot: WatchParts): Work<WatchJob> {
  const { clock, timing } = bot;
  let nextAt = Number.NEGATIVE_INFINITY;
  async function pace(): Promise<void> {
    await delay(Math.max(0, nextAt - clock.steady()), undefined, { ref: false });
    nextAt = clock.steady() + timing.watchMs;
  }

  return async (job) => {
    const begunAt = clock.steady();
    const now = () => job.now + Math.round(clock.steady() - begunAt);
    return runOnce(watchesIn(job), { address: job.key as MacAddress, now, pace, bot });
  };
}

/** Messages come before everything that is due. Without an answer, watches that were due still are. */
async function runOnce(watches: DeviceWatch[], run: Run): Promise<JobOutcome<WatchJob>> {
  const { address, now, bot } = run;
  const at = now();
  if (!bot.settings.canWatch) {
    for (const each of watches) await end(each, address, undefined, bot);
    return OVER;
  }
  const sent = watches.find((each) => rules.hasMessage(each, at));
  const after = sent && (await notify(sent, run));
  const left = watches.flatMap((each) => (each === sent ? (after ?? []) : each));
  if (left.length === 0) return OVER;
  const isDue = !sent && left.some(({ dueAt }) => dueAt <= at);
  const answer = isDue ? await lookUp(left, run) : undefined;
  const next = answer ? left.map((each) => rules.takeAnswer(each, answer)) : left;
  const isFirst = next.some((each) => rules.hasMessage(each, now()));
  const dueAt = isFirst ? 0 : Math.min(...next.map((each) => each.dueAt));
  return { kind: 'again', data: { watches: next }, afterMs: dueAt - now() };
}

/** Asks the NAC about a watched device. Undefined: not now. */
async function lookUp(
  watches: DeviceWatch[],
  { address, now, pace, bot }: Run,
): Promise<rules.WatchAnswer<DeviceAnswer> | undefined> {
  await pace();
  const [device] = await startLookups([address], ASKER, () => bot.nac.watch(address)).finished;
  if (device === undefined || device.outcome.kind === 'busy') return undefined;
  const { outcome } = device;
  const state = stateBy(device);
  const isNoSession = outcome.kind === 'no session';
  const isNews = isNoSession && watches.some(({ standing }) => standing !== 'away');
  if (isNews) await pace();
  const isBlind = isNews && state.node !== undefined && (await bot.nac.hasNoSessions(state.node, ASKER));
  const id = `watch ${fingerprintOf([address, state.verdict, now()])}`;
  const stored = { ...device, outcome: outcome.kind === 'found' ? { ...outcome, text: '' } : outcome }; // Without the NAC's text.
  const answer = { ...state, at: now(), isNoSession, id, device: stored };
  return isBlind ? { ...answer, standing: undefined } : answer;
}

/**
 * Sends a watch's change or end to those who may still read it; a change is the device's answer as always, with a mention of all
 * who asked. The room gets the tokens once for all watches of the device. Undefined: the watch has ended.
 */
async function notify(watched: DeviceWatch, run: Run): Promise<DeviceWatch | undefined> {
  const { address, now, pace, bot } = run;
  const { chat, audit, clock, room, onError, recent, formatterFor, explanations } = bot;
  const { change, standing } = watched;
  const askers = await allowed(watched, bot);
  const [first] = askers;
  if (first === undefined || change === undefined) return end(watched, address, ' after 8 hours', bot);
  if (standing !== 'connected') await pace(); // The NAC may be asked for attempts.
  const { place } = first;
  const [key, number, arrivedAt] = [change.id, reportNumber(change.id), clock.now()];
  const asker = { key, number, arrivedAt, person: ASKER, place, by: 'watch' } as const;
  const lines: object[] = [];
  const note = (entry: object) => void lines.push(entry);
  const parts = { room, clock, onError, recent, formatterFor, explanations, audit: note };
  const answer = await finishLookup([change.device], asker, { notes: [], isRemembered: true }, parts);
  const message = change.isLast ? answer : messages.withStop(answer, address);
  const taken = await chat.reply(place, { ...message, mentions: askers.map(userOf) });
  for (const { id: person } of taken ? askers : [])
    for (const entry of lines) audit({ ...entry, event: 'change', person });
  const after = rules.afterMessage(watched, taken !== undefined, now());
  return taken || after ? after : end(watched, address, undefined, bot);
}

async function allowed({ askers }: DeviceWatch, { isStillAllowed }: WatchParts) {
  const areAllowed = await Promise.all(askers.map(({ place }) => isStillAllowed(place)));
  return askers.filter((_, index) => areAllowed[index]);
}

/** Ends a watch, and sends its last verdict. @param why undefined: nothing is sent */
async function end(
  watched: DeviceWatch,
  address: MacAddress,
  why: string | undefined,
  bot: WatchParts,
): Promise<undefined> {
  const { askers, verdict } = watched;
  const [reader] = why === undefined ? [] : await allowed(watched, bot);
  const text = toMarkdown(line`Stopped watching ${address}${[why ?? '']}. Last: ${verdict}.`);
  if (reader) await bot.chat.reply(reader.place, { text });
  for (const asker of askers) auditWatch('end', address, asker, verdict, bot);
}

/** Ends the watches of a job that was given up. */
export async function endDeadWatches({ key, data, reason }: DeadJob, bot: WatchParts): Promise<void> {
  bot.log.error({ queue: 'watch', reason }, 'a job was given up');
  const job = watchJobSchema.safeParse(data).data ?? null;
  for (const each of watchesIn({ data: job, added: [] }))
    await end(each, key as MacAddress, `, because ${reason}`, bot);
}
