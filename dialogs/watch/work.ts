import { setTimeout as delay } from 'node:timers/promises';
import type { DeadJob, JobOutcome, Work } from '../../src/domain/jobs.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import * as rules from '../../src/domain/watch.ts';
import { ask } from '../lookup/asking.ts';
import { fingerprintOf } from '../lookup/changes.ts';
import { finishLookup, reportNumber } from '../lookup/report.ts';
import type { DeviceAnswer } from '../render/device.ts';
import { withStop } from '../render/one-device.ts';
import { line, toMarkdown } from '../render/words.ts';
import * as watch from './watches.ts';

/** Asks the NAC for watches. No person has this id, so the service account is used. */
const ASKER = 'watch/';
/** How long watches rest after a bug of ours. */
const REST_MS = 60_000;

type DeviceWatch = watch.DeviceWatch;
type Answer = rules.Answer<DeviceAnswer>;
type Outcome = JobOutcome<watch.WatchJob>;
/** One run of a job. `now`: by the store's clock. `pace` waits until the next call to the NAC may begin. */
type Run = { address: MacAddress; now: () => number; pace: () => Promise<void>; bot: watch.WatchParts };

/** Returns the work on a device's watches. A run sends one message or asks the NAC once; then the row is written. */
export function createWatchWork(bot: watch.WatchParts): Work<watch.WatchJob> {
  const { clock, timing, settings, onError } = bot;
  let nextAt = Number.NEGATIVE_INFINITY;
  async function pace(): Promise<void> {
    await delay(Math.max(0, nextAt - clock.steady()), undefined, { ref: false });
    nextAt = clock.steady() + timing.watchMs;
  }

  return async (job) => {
    const begunAt = clock.steady();
    const now = () => job.at + Math.round(clock.steady() - begunAt);
    const run = { address: job.key as MacAddress, now, pace, bot };
    const watches = watch.watchesIn(job);
    if (!settings.canWatch) {
      for (const each of watches) await end(each, run.address, undefined, bot);
      return outcomeOf([], undefined, now());
    }
    try {
      const notified = watches.find((each) => rules.hasMessage(each, job.at));
      const isDue = watches.some(({ dueAt }) => dueAt <= job.at);
      const after = notified && (await notify(notified, run));
      const left = watches.flatMap((each) => (each === notified ? (after ?? []) : [each]));
      const answer = isDue && !notified ? await lookUp(left, run) : undefined;
      return outcomeOf(left, answer, now());
    } catch (error) {
      onError(error);
      return { kind: 'again', data: { watches }, afterMs: REST_MS };
    }
  };
}

/** Messages come before everything that is due. Without an answer, watches that were due still are. */
function outcomeOf(watches: DeviceWatch[], answer: Answer | undefined, now: number): Outcome {
  const data = { watches, answer };
  if (watches.length === 0) return { kind: 'done', data, keepMs: 0 };
  const isFirst = answer !== undefined || watches.some((each) => rules.hasMessage(each, now));
  const dueAt = isFirst ? 0 : Math.min(...watches.map((each) => each.dueAt));
  return { kind: 'again', data, afterMs: dueAt - now };
}

/** Asks the NAC about a watched device. Undefined: not now. */
async function lookUp(watches: DeviceWatch[], { address, now, pace, bot }: Run): Promise<Answer | undefined> {
  const { watch: lookUp, hasNoSessions } = bot.nac;
  await pace();
  const [answered] = await ask([address], ASKER, () => lookUp(address)).all;
  if (answered === undefined || answered.outcome.kind === 'busy') return undefined;
  const { outcome } = answered;
  const state = watch.stateBy(answered);
  const isNoSession = outcome.kind === 'no session';
  const isNews = isNoSession && watches.some(({ standing }) => standing !== 'away');
  if (isNews) await pace();
  const isBlind = isNews && state.node !== undefined && (await hasNoSessions(state.node, ASKER));
  const standing = isBlind ? undefined : state.standing;
  const id = `watch ${fingerprintOf([address, state.verdict, now()])}`;
  const stored = outcome.kind === 'found' ? { ...outcome, text: '' } : outcome; // The NAC's text is not kept.
  const device = { ...answered, outcome: stored };
  return { ...state, kind: 'answer', at: now(), standing, isNoSession, id, device };
}

/**
 * Sends a watch's change or end to those who may still read it; a change is the device's answer as always, with a mention of all
 * who asked. The room gets the tokens once for all watches of the device. Undefined: the watch has ended.
 */
async function notify(
  watched: DeviceWatch,
  { address, now, pace, bot }: Run,
): Promise<DeviceWatch | undefined> {
  const { chat, audit, clock, room, onError, recent, formatterFor, explanations } = bot;
  const { change, standing } = watched;
  const askers = await allowed(watched, bot);
  const [first] = askers;
  if (first === undefined || change === undefined) return end(watched, address, ' after 8 hours', bot);
  if (standing !== 'connected') await pace(); // The NAC may be asked for attempts.
  const { place } = first;
  const lines: object[] = [];
  const question = { key: change.id, number: reportNumber(change.id), arrivedAt: clock.now() };
  const asker = { ...question, person: ASKER, place, by: 'watch' } as const;
  const reporting = { room, clock, onError, recent, formatterFor, explanations };
  const audited = { ...reporting, audit: (entry: object) => void lines.push(entry) };
  const closing = { notes: [], isForJob: true } as const;
  const answer = await finishLookup([change.device], asker, closing, audited);
  const message = change.isLast ? answer : withStop(answer, address);
  const reply = { ...message, mentions: askers.map(watch.userOf) };
  const isTaken = (await chat.reply(place, reply)) !== undefined;
  for (const { id: person } of isTaken ? askers : [])
    for (const entry of lines) audit({ ...entry, event: 'change', person });
  const after = rules.afterMessage(watched, isTaken, now());
  return isTaken || after ? after : end(watched, address, undefined, bot);
}

/** The askers who may still use the bot. */
async function allowed({ askers }: DeviceWatch, { isStillAllowed }: watch.WatchParts) {
  const areAllowed = await Promise.all(askers.map(({ place }) => isStillAllowed(place)));
  return askers.filter((_, index) => areAllowed[index]);
}

/** Ends a watch, and sends its last verdict. @param why undefined: nothing is sent */
async function end(
  watched: DeviceWatch,
  address: MacAddress,
  why: string | undefined,
  bot: watch.WatchParts,
): Promise<undefined> {
  const { askers, verdict } = watched;
  const [reader] = why === undefined ? [] : await allowed(watched, bot);
  const text = toMarkdown(line`Stopped watching ${address}${[why ?? '']}. Last: ${verdict}.`);
  if (reader) await bot.chat.reply(reader.place, { text });
  watch.auditWatch('end', address, askers, verdict, bot);
}

/** Ends the watches of a job that was given up. */
export async function endDeadWatches({ key, data, reason }: DeadJob, bot: watch.WatchParts): Promise<void> {
  bot.log.error({ queue: 'watch', reason }, 'a job was given up');
  const job = watch.watchJobSchema.safeParse(data).data ?? null;
  for (const each of watch.watchesIn({ data: job, added: [] }))
    await end(each, key as MacAddress, `, because ${reason}`, bot);
}
