import { setTimeout as delay } from 'node:timers/promises';
import type { DeadJob, JobOutcome, Work } from '../../src/domain/jobs.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import * as rules from '../../src/domain/watch.ts';
import { fingerprintOf } from '../lookup/changes.ts';
import { finishLookup, reportNumber, startLookups } from '../lookup/device-lookups.ts';
import type { DeviceAnswer } from '../render/device.ts';
import { withStop } from '../render/message.ts';
import { line, toMarkdown } from '../render/words.ts';
import * as watch from './watches.ts';

/** Asks the NAC for watches. No person has this id, so the service account is used. */
const ASKER = 'watch/';
/** How long watches rest after a bug of ours. */
const REST_MS = 60_000;

/** The work on one device's watches. `now`: by the store's clock. `pace` waits until the next call to the NAC may begin. */
type Run = { address: MacAddress; now: () => number; pace: () => Promise<void>; bot: watch.WatchParts };
type Outcome = JobOutcome<watch.WatchJob>;

/** Returns the work on a device's watches. A run sends one message or asks the NAC once; then the row is written. */
export function createWatchWork(bot: watch.WatchParts): Work<watch.WatchJob> {
  const { clock, timing, onError } = bot;
  let nextAt = Number.NEGATIVE_INFINITY;
  async function pace(): Promise<void> {
    await delay(Math.max(0, nextAt - clock.steady()), undefined, { ref: false });
    nextAt = clock.steady() + timing.watchMs;
  }

  return async (job): Promise<Outcome> => {
    const begunAt = clock.steady();
    const now = () => job.at + Math.round(clock.steady() - begunAt);
    const watches = watch.watchesIn(job);
    try {
      return await runOnce(watches, { address: job.key as MacAddress, now, pace, bot });
    } catch (error) {
      onError(error);
      return { kind: 'again', data: { watches }, afterMs: REST_MS };
    }
  };
}

/** Messages come before everything that is due. Without an answer, watches that were due still are. */
async function runOnce(watches: watch.DeviceWatch[], run: Run): Promise<Outcome> {
  const { address, now, bot } = run;
  const at = now();
  const isOn = bot.settings.canWatch;
  if (!isOn) for (const each of watches) await end(each, address, undefined, bot);
  const sent = watches.find((each) => rules.hasMessage(each, at));
  const after = sent && isOn && (await notify(sent, run));
  const left = isOn ? watches.flatMap((each) => (each === sent ? after || [] : each)) : [];
  if (left.length === 0) return { kind: 'done', data: { watches: [] }, keepMs: 0 };
  const isDue = !sent && left.some(({ dueAt }) => dueAt <= at);
  const answer = isDue ? await lookUp(left, run) : undefined;
  const isFirst = answer !== undefined || left.some((each) => rules.hasMessage(each, now()));
  const dueAt = isFirst ? 0 : Math.min(...left.map((each) => each.dueAt));
  return { kind: 'again', data: { watches: left, answer }, afterMs: dueAt - now() };
}

/** Asks the NAC about a watched device. Undefined: not now. */
async function lookUp(
  watches: watch.DeviceWatch[],
  { address, now, pace, bot }: Run,
): Promise<rules.Answer<DeviceAnswer> | undefined> {
  await pace();
  const [device] = await startLookups([address], ASKER, () => bot.nac.watch(address)).finished;
  if (device === undefined || device.outcome.kind === 'busy') return undefined;
  const { outcome } = device;
  const state = watch.stateBy(device);
  const isNoSession = outcome.kind === 'no session';
  const isNews = isNoSession && watches.some(({ standing }) => standing !== 'away');
  if (isNews) await pace();
  const isBlind = isNews && state.node !== undefined && (await bot.nac.hasNoSessions(state.node, ASKER));
  const id = `watch ${fingerprintOf([address, state.verdict, now()])}`;
  const stored = { ...device, outcome: outcome.kind === 'found' ? { ...outcome, text: '' } : outcome }; // Without the NAC's text.
  const answer = { ...state, kind: 'answer', at: now(), isNoSession, id, device: stored } as const;
  return isBlind ? { ...answer, standing: undefined } : answer;
}

/**
 * Sends a watch's change or end to those who may still read it; a change is the device's answer as always, with a mention of all
 * who asked. The room gets the tokens once for all watches of the device. Undefined: the watch has ended.
 */
async function notify(watched: watch.DeviceWatch, run: Run): Promise<watch.DeviceWatch | undefined> {
  const { address, now, pace, bot } = run;
  const { chat, audit, clock, room, onError, recent, formatterFor, explanations } = bot;
  const { change, standing } = watched;
  const askers = await allowed(watched, bot);
  const [first] = askers;
  if (first === undefined || change === undefined) return end(watched, address, ' after 8 hours', bot);
  if (standing !== 'connected') await pace(); // The NAC may be asked for attempts.
  const { place } = first;
  const question = { key: change.id, number: reportNumber(change.id), arrivedAt: clock.now() };
  const asker = { ...question, person: ASKER, place, by: 'watch' } as const;
  const lines: object[] = [];
  const note = (entry: object) => void lines.push(entry);
  const parts = { room, clock, onError, recent, formatterFor, explanations, audit: note };
  const answer = await finishLookup([change.device], asker, { notes: [], isForJob: true }, parts);
  const message = change.isLast ? answer : withStop(answer, address);
  const taken = await chat.reply(place, { ...message, mentions: askers.map(watch.userOf) });
  for (const { id: person } of taken ? askers : [])
    for (const entry of lines) audit({ ...entry, event: 'change', person });
  const after = rules.afterMessage(watched, taken !== undefined, now());
  return taken || after ? after : end(watched, address, undefined, bot);
}

async function allowed({ askers }: watch.DeviceWatch, { isStillAllowed }: watch.WatchParts) {
  const areAllowed = await Promise.all(askers.map(({ place }) => isStillAllowed(place)));
  return askers.filter((_, index) => areAllowed[index]);
}

/** Ends a watch, and sends its last verdict. @param why undefined: nothing is sent */
async function end(
  watched: watch.DeviceWatch,
  address: MacAddress,
  why: string | undefined,
  bot: watch.WatchParts,
): Promise<undefined> {
  const { askers, verdict } = watched;
  const [reader] = why === undefined ? [] : await allowed(watched, bot);
  const text = toMarkdown(line`Stopped watching ${address}${[why ?? '']}. Last: ${verdict}.`);
  if (reader) await bot.chat.reply(reader.place, { text });
  for (const asker of askers) watch.auditWatch('end', address, asker, verdict, bot);
}

/** Ends the watches of a job that was given up. */
export async function endDeadWatches({ key, data, reason }: DeadJob, bot: watch.WatchParts): Promise<void> {
  bot.log.error({ queue: 'watch', reason }, 'a job was given up');
  const job = watch.watchJobSchema.safeParse(data).data ?? null;
  for (const each of watch.watchesIn({ data: job, added: [] }))
    await end(each, key as MacAddress, `, because ${reason}`, bot);
}
