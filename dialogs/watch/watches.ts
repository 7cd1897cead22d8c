import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { DeadJob, Job, JobOutcome, Queue } from '../../src/domain/jobs.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import * as rules from '../../src/domain/watch.ts';
import { startLookups, withoutText } from '../lookup/device-lookups.ts';
import * as report from '../lookup/report.ts';
import { verdictOf } from '../render/describe.ts';
import type { DeviceAnswer } from '../render/device.ts';
import * as messages from '../render/message.ts';
import { line, toBare, toMarkdown } from '../render/words.ts';

/** A person who asked, by the id that is the same in all conversations, and the place. */
export type Watcher = { id: string; place: messages.Place };
export type DeviceWatch = rules.Watch<Watcher, DeviceAnswer> & { address: MacAddress };

/** The job of a watched device, whose key is its MAC address. */
export const watchJobSchema = z.object({ watches: z.custom<DeviceWatch[]>(Array.isArray) }).nullable();
export type WatchJob = z.infer<typeof watchJobSchema>;

export type WatchParts = report.ReportParts & {
  jobs: { watch: Pick<Queue<WatchJob>, 'wake' | 'list'> };
  /** Runs tasks of all processes one after another. */
  lockWatches<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Whether a person may still use the bot at a place that was stored. */
  isStillAllowed(place: messages.Place): Promise<boolean>;
};

/** The most watches of one person, and of all. */
export const [MAX_OWN, MAX_ALL] = [5, 100];

const threadAt = (place: messages.Place) => report.fingerprintOf([messages.threadOf(place)]);
const isNotErased = (asker: Watcher | null | undefined) => asker?.place?.reference.user !== undefined;

/** Returns the watches of a job after people's requests since its last run. */
export function watchesIn(job: Pick<Job<WatchJob>, 'key' | 'data' | 'added'>): DeviceWatch[] {
  const { watches = [] } = job.data ?? {};
  return job.added
    .map(({ at, data }) => ({ ...(data as rules.WatchRequest<Watcher>), at }))
    .filter((each) => each.kind === 'stop' || isNotErased(each.asker))
    .reduce<Array<rules.Watch<Watcher, DeviceAnswer>>>(rules.applyRequest, watches)
    .map((each) => ({ ...each, address: job.key as MacAddress, askers: each.askers.filter(isNotErased) }))
    .filter(({ askers }) => askers.length > 0);
}

async function allWatches({ jobs }: Pick<WatchParts, 'jobs'>) {
  return (await jobs.watch.list('open')).flatMap(({ data, now, ...job }) =>
    data === undefined ? [] : watchesIn({ ...job, data }).map((each) => ({ ...each, now })),
  );
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

export function stateBy(answer: DeviceAnswer): rules.WatchedState {
  const { outcome } = answer;
  const node = 'node' in outcome ? outcome.node : undefined;
  return { standing: rules.standingOf(outcome), verdict: verdictOf(answer).heading, node };
}

/** Begins, joins or renews a watch. */
export function begin(address: MacAddress, first: rules.WatchedState, asker: Watcher, bot: WatchParts) {
  const thread = threadAt(asker.place);
  return bot.lockWatches(async () => {
    const all = await allWatches(bot);
    const known = all.find((each) => each.address === address && each.thread === thread);
    const own = all.filter(({ askers }) => askers.some(({ id }) => id === asker.id));
    if (own.length >= MAX_OWN && !(known && own.includes(known))) return 'too many of yours';
    if (!known && all.length >= MAX_ALL) return 'too many';
    const request: rules.WatchRequest<Watcher> = { kind: 'join', thread, asker, first };
    if ((await bot.jobs.watch.wake(address, null, request)) === 'full') return 'too many';
    auditWatch('begin', { address, ...first }, asker, bot);
    return 'begun';
  });
}

/** Stops a watch for everyone, or a person's part in it. */
export async function stop(watched: DeviceWatch, asker: Watcher, isOwn: boolean, bot: WatchParts) {
  const { address, thread } = watched;
  const request: rules.WatchRequest<Watcher> = { kind: 'stop', thread, by: isOwn ? asker.id : undefined };
  await bot.jobs.watch.wake(address, null, request);
  auditWatch('stop', watched, asker, bot);
}

type Audited = Pick<DeviceWatch, 'address' | 'verdict'>;

function auditWatch(event: string, { address, verdict }: Audited, asker: Watcher, bot: WatchParts): void {
  const entry = {
    number: report.reportNumber(address),
    by: 'watch',
    event,
    person: asker.id,
    ...report.auditedPlace(asker.place),
    asked: address,
    address,
    verdict: toBare(verdict),
    answeredAt: new Date(bot.clock.now()).toISOString(),
  };
  bot.audit.info(entry, 'audit');
}

/** Asks the NAC for watches. No person has this id, so the service account is used. */
const ASKER = 'watch/';
const OVER: JobOutcome<WatchJob> = { kind: 'done', data: { watches: [] }, keepMs: 0 };

/** The pause before each call to the NAC. A process works on one device at a time, so no other call comes in between. */
const pace = ({ timing }: WatchParts) => delay(timing.watchMs, undefined, { ref: false });

/** Sends one message of a device's watches, which goes first, or asks the NAC once. Without an answer, watches stay due. */
export async function workOnWatches(job: Job<WatchJob>, bot: WatchParts): Promise<JobOutcome<WatchJob>> {
  const { now } = job;
  let watches = watchesIn(job);
  if (!bot.settings.canWatch) {
    for (const each of watches) await end(each, undefined, bot);
    return OVER;
  }
  const sent = watches.find((each) => rules.hasMessage(each, now));
  if (sent) {
    const after = await notify(sent, now, bot);
    watches = watches.flatMap((each) => (each === sent ? (after ?? []) : each));
  } else if (watches.some(({ dueAt }) => dueAt <= now)) {
    const answer = await lookUp(job.key as MacAddress, watches, now, bot);
    if (answer) watches = watches.map((each) => rules.takeAnswer(each, answer));
  }
  if (watches.length === 0) return OVER;
  const isFirst = watches.some((each) => rules.hasMessage(each, now));
  const dueAt = isFirst ? 0 : Math.min(...watches.map((each) => each.dueAt));
  return { kind: 'again', data: { watches }, afterMs: dueAt - now };
}

/** Asks the NAC about a watched device. Undefined: not now. */
async function lookUp(address: MacAddress, watches: readonly DeviceWatch[], at: number, bot: WatchParts) {
  await pace(bot);
  const [device] = await startLookups([address], ASKER, bot.nac.watch).finished;
  if (device === undefined || device.outcome.kind === 'busy') return undefined;
  const state = stateBy(device);
  const isNoSession = device.outcome.kind === 'no session';
  if (isNoSession && state.node !== undefined && watches.some(({ standing }) => standing !== 'away')) {
    await pace(bot);
    if (await bot.nac.hasNoSessions(state.node, ASKER)) state.standing = undefined;
  }
  return { ...state, at, isNoSession, device: withoutText(device) };
}

/** Sends a change or an end to those who may still read it. The room gets a change once. Undefined: the watch has ended. */
async function notify(watched: DeviceWatch, now: number, bot: WatchParts): Promise<DeviceWatch | undefined> {
  const { address, change, standing } = watched;
  const askers = await allowed(watched, bot);
  const [first] = askers;
  if (first === undefined || change === undefined) return end(watched, ' after 8 hours', bot);
  if (standing !== 'connected') await pace(bot); // The NAC may be asked for attempts.
  const key = `watch ${address} ${change.at}`;
  const watchers = askers.map(({ id }) => id);
  const { place } = first;
  const asked = { key, number: report.reportNumber(key), arrivedAt: bot.clock.now(), person: ASKER, place };
  const asker = { ...asked, by: 'watch', watchers, notes: [], isRemembered: true } as const;
  const answer = await report.finishLookup([change.device], asker, bot);
  const message = change.isLast ? answer : messages.withStop(answer, address);
  const mentions = askers.map((each) => messages.askerOf(each.place));
  const taken = await bot.chat.reply(place, { ...message, mentions });
  const after = rules.afterMessage(watched, taken !== undefined, now);
  return taken || after ? after : end(watched, undefined, bot);
}

async function allowed({ askers }: DeviceWatch, { isStillAllowed }: WatchParts) {
  const areAllowed = await Promise.all(askers.map(({ place }) => isStillAllowed(place)));
  return askers.filter((_, index) => areAllowed[index]);
}

async function end(watched: DeviceWatch, why: string | undefined, bot: WatchParts): Promise<undefined> {
  const { address, askers, verdict } = watched;
  const [reader] = why === undefined ? [] : await allowed(watched, bot);
  const text = toMarkdown(line`Stopped watching ${address}${[why ?? '']}. Last: ${verdict}.`);
  if (reader) await bot.chat.reply(reader.place, { text });
  for (const asker of askers) auditWatch('end', watched, asker, bot);
}

/** Ends the watches of a job that was given up. */
export async function endDeadWatches({ key = '', reason, ...job }: DeadJob, bot: WatchParts): Promise<void> {
  bot.log.error({ queue: 'watch', reason }, 'a job was given up');
  const data = watchJobSchema.safeParse(job.data).data ?? null;
  for (const each of watchesIn({ key, data, added: [] })) await end(each, `, because ${reason}`, bot);
}
