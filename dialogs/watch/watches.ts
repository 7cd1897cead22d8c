import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { DeadJob, Job, JobOutcome, Queue } from '../../src/domain/jobs.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import * as rules from '../../src/domain/watch.ts';
import { limitTokens, lookUpOne, type ReportParts, withoutText } from '../lookup/device-lookups.ts';
import * as report from '../lookup/report.ts';
import { verdictOf } from '../render/describe.ts';
import type { DeviceAnswer } from '../render/device.ts';
import * as messages from '../render/message.ts';
import { line, toMarkdown } from '../render/words.ts';

/** A person who asked, by the id that is the same in all conversations, and the place. */
export type Watcher = { id: string; place: messages.Place };
export type DeviceWatch = rules.Watch<Watcher, DeviceAnswer>;
type WatchRequest = rules.WatchRequest<Watcher, DeviceAnswer>;

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

const threadAt = (place: messages.Place) => report.fingerprintOf([messages.threadOf(place)]);
const isNotErased = (asker: Watcher | null) => asker?.place.reference.user !== undefined;

/** Returns the watches of a job after people's requests since its last run. */
export function watchesIn({ data, added }: Pick<Job<WatchJob>, 'data' | 'added'>): DeviceWatch[] {
  return added
    .map(({ at, data }) => ({ ...(data as WatchRequest), at }))
    .reduce<DeviceWatch[]>(rules.applyRequest, data?.watches ?? [])
    .map((each) => ({ ...each, askers: each.askers.filter(isNotErased) }))
    .filter(({ askers }) => askers.length > 0);
}

async function allWatches({ jobs }: Pick<WatchParts, 'jobs'>) {
  return (await jobs.watch.list('open')).flatMap(({ data, added, now }) =>
    data === undefined ? [] : watchesIn({ data, added }).map((each) => ({ ...each, now })),
  );
}

/** The number of watches, and for how long the oldest has been due. */
export async function countWatches(bot: Pick<WatchParts, 'jobs'>) {
  const all = await allWatches(bot);
  const overdueMs = Math.max(0, ...all.map(({ now, dueAt }) => now - dueAt));
  return { count: all.length, overdueSeconds: overdueMs / 1000 };
}

/** The watches of a thread that the readers of a place may see. */
export async function watchesAt(place: messages.Place, bot: WatchParts) {
  const threads = [threadAt(place), threadAt(messages.placeForAll(place))];
  return (await allWatches(bot)).filter(({ thread }) => threads.includes(thread));
}

/** Begins, joins or renews a watch of an answer's device. */
export function begin(answer: DeviceAnswer, asker: Watcher, bot: WatchParts) {
  const { address } = answer;
  const thread = threadAt(asker.place);
  return bot.lockWatches(async () => {
    const all = await allWatches(bot);
    const known = all.find((each) => each.device.address === address && each.thread === thread);
    const own = all.filter((each) => each !== known && each.askers.some(({ id }) => id === asker.id));
    if (own.length >= MAX_OWN) return 'too many of yours';
    if (!known && all.length >= MAX_ALL) return 'too many';
    const others = known?.askers.filter(({ id }) => id !== asker.id) ?? [];
    const request: WatchRequest = { thread, askers: [...others, asker], first: withoutText(answer) };
    if ((await bot.jobs.watch.wake(address, null, request)) === 'full') return 'too many';
    audit('begin', answer, asker, bot);
    return 'begun';
  });
}

/** Stops a place's watches of these devices for everyone; without any, the person's part in all. Returns those watches. */
export function stop(addresses: readonly DeviceAddress[], asker: Watcher, bot: WatchParts) {
  const isOwn = addresses.length === 0;
  return bot.lockWatches(async () => {
    const stopped = (await watchesAt(asker.place, bot)).filter(({ device, askers }) =>
      isOwn ? askers.some(({ id }) => id === asker.id) : addresses.includes(device.address),
    );
    for (const { thread, device, askers } of stopped) {
      const left = isOwn ? askers.filter(({ id }) => id !== asker.id) : [];
      const request: WatchRequest = { thread, askers: left };
      await bot.jobs.watch.wake(device.address, null, request);
      audit('stop', device, asker, bot);
    }
    return stopped;
  });
}

function audit(event: string, device: DeviceAnswer, { id: person, place }: Watcher, bot: WatchParts): void {
  const arrivedAt = bot.clock.now();
  report.auditAnswers({ key: device.address, by: 'watch', event, person, place, arrivedAt }, [device], bot);
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
    const answer = await lookUp(job.key as MacAddress, watches, bot);
    if (answer) watches = watches.map((each) => rules.takeAnswer(each, answer, now));
  }
  if (watches.length === 0) return OVER;
  const isFirst = watches.some((each) => rules.hasMessage(each, now));
  const dueAt = isFirst ? 0 : Math.min(...watches.map((each) => each.dueAt));
  return { kind: 'again', data: { watches }, afterMs: dueAt - now };
}

/** Asks the NAC about a watched device. Undefined: not now. */
async function lookUp(address: MacAddress, watches: readonly DeviceWatch[], bot: WatchParts) {
  await pace(bot);
  const device = limitTokens(await lookUpOne(address, ASKER, bot.nac.watch), 1);
  const { outcome } = device;
  if (outcome.kind === 'busy') return undefined;
  const isChange = watches.some((each) => rules.standingOf(each.device) !== 'away');
  if (outcome.kind !== 'no session' || outcome.node === undefined || !isChange) return withoutText(device);
  await pace(bot);
  const isNobodySeen = await bot.nac.hasNoSessions(outcome.node, ASKER);
  return isNobodySeen ? { ...device, isNobodySeen } : device;
}

/** Sends a change or an end to those who may still read it. The room gets a change once. Undefined: the watch has ended. */
async function notify(watched: DeviceWatch, now: number, bot: WatchParts): Promise<DeviceWatch | undefined> {
  const { device, change } = watched;
  const askers = await allowed(watched, bot);
  const [first] = askers;
  if (first === undefined || change === undefined) return end(watched, ' after 8 hours', bot);
  if (rules.standingOf(device) !== 'connected') await pace(bot); // The NAC may be asked for attempts.
  const key = `watch ${device.address} ${change.at}`;
  const watchers = askers.map(({ id }) => id);
  const { place } = first;
  const asked = { key, arrivedAt: bot.clock.now(), person: ASKER, place, notes: [], isRemembered: true };
  const how = { by: 'watch', event: 'change', watchers, isWatched: !change.isLast } as const;
  const message = await report.finishLookup([device], { ...asked, ...how }, bot);
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
  const { device, askers } = watched;
  const [reader] = why === undefined ? [] : await allowed(watched, bot);
  const text = toMarkdown(
    line`Stopped watching ${device.address}${[why ?? '']}. Last: ${verdictOf(device).heading}.`,
  );
  if (reader) await bot.chat.reply(reader.place, { text });
  for (const asker of askers) audit('end', device, asker, bot);
}

/** Ends the watches of a job that was given up. */
export async function endDeadWatches({ reason, ...job }: DeadJob, bot: WatchParts): Promise<void> {
  bot.log.error({ queue: 'watch', reason }, 'a job was given up');
  const data = watchJobSchema.safeParse(job.data).data ?? null;
  for (const each of watchesIn({ data, added: [] })) await end(each, `, because ${reason}`, bot);
}
