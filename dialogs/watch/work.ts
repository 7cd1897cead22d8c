import { setTimeout as delay } from 'node:timers/promises';
import * as rules from '../../src/domain/watch.ts';
import type { Row, WatchWork } from '../../src/store/watches.ts';
import { ask } from '../lookup/asking.ts';
import { finishLookup, reportNumber } from '../lookup/report.ts';
import { fingerprintOf } from '../lookup/told.ts';
import type { DeviceAnswer } from '../render/device.ts';
import { verdictOf } from '../render/verdict.ts';
import { endMessage, withStop } from './messages.ts';
import * as watch from './watches.ts';

/** Asks the NAC for watches. No person has this id, so the service account is used. */
const ASKER = 'watch/';

type DeviceWatch = watch.DeviceWatch;
type WatchRow = Row<DeviceWatch>;
/** Waits until the next call to the NAC may begin. */
type Pace = () => Promise<void>;

/** Returns the work on watches that are due. It is never done twice at once. */
export function createWatchWork(bot: watch.WatchParts): WatchWork<DeviceWatch> {
  const { watches, clock, timing, withNumber } = bot;
  let nextAt = Number.NEGATIVE_INFINITY;
  async function pace(): Promise<void> {
    await delay(Math.max(0, nextAt - clock.steady()), undefined, { ref: false });
    nextAt = clock.steady() + timing.watchMs;
  }
  const tellOne = (row: WatchRow) => withNumber(reportNumber(row.key), () => tell(row, pace, bot));

  return async (rows) => {
    const isDue = ({ data, now }: WatchRow) => data.dueAt <= now;
    const isToBeTold = ({ data, now }: WatchRow) => data.change !== undefined || rules.isOver(data, now);
    for (const row of rows) if (isDue(row) && isToBeTold(row)) await tellOne(row);
    const open = rows.filter((row) => !isToBeTold(row));
    if (!open.some(isDue)) return true;
    await pace();
    const answer = await lookUp(open, pace, bot);
    if (answer === undefined) return false;
    const ofDevice = async () =>
      (await watches.all()).filter(({ key }) => watch.addressOf(key) === answer.said.asked);
    // Watches that were begun meanwhile take the same answer, so that the room gets one post.
    for (const { key } of await ofDevice())
      await watches.change(key, (each, now) => each && rules.takeAnswer(each, answer, now));
    const keys = new Set(open.map(({ key }) => key));
    for (const row of await ofDevice()) if (row.data.change && keys.has(row.key)) await tellOne(row);
    return true;
  };
}

/** Asks the NAC about the device of these watches. Undefined: not now. */
async function lookUp(rows: readonly WatchRow[], pace: Pace, { nac }: watch.WatchParts) {
  const [{ key, now } = { key: '', now: 0 }] = rows;
  const address = watch.addressOf(key);
  const [said] = await ask([address], ASKER, () => nac.watch(address)).all;
  if (said === undefined || said.outcome.kind === 'busy') return undefined;
  const { outcome } = said;
  const node = watch.nodeOf(said);
  const isNoSession = outcome.kind === 'no session';
  const isNews = isNoSession && rows.some(({ data }) => data.standing !== 'away');
  if (isNews) await pace();
  const isBlind = isNews && node !== undefined && (await nac.hasNoSessions(node, ASKER));
  const verdict = verdictOf(said).heading;
  const answer: rules.Answer<DeviceAnswer> = {
    standing: isBlind ? undefined : rules.standingOf(outcome),
    verdict,
    node,
    isNoSession,
    id: `watch ${fingerprintOf([address, verdict, now])}`,
    said: outcome.kind === 'found' ? { ...said, outcome: { ...outcome, text: '' } } : said, // The NAC's text is not kept.
  };
  return answer;
}

/** Tells a watch's change or end to those who may still read it, then changes the row: a crash between tells it twice. */
async function tell({ key, data }: WatchRow, pace: Pace, bot: watch.WatchParts): Promise<void> {
  const { watches, chat, isStillAllowed } = bot;
  const asked = watch.askersOf(data);
  const areAllowed = await Promise.all(asked.map(({ place }) => isStillAllowed(place)));
  const [first, ...others] = asked.filter((_, index) => areAllowed[index]);
  if (first && data.change) return tellChange(key, data, data.change, [first, ...others], pace, bot);
  if (first) await chat.deliver(first.place, endMessage(watch.addressOf(key), data.verdict));
  const isOver = (each: DeviceWatch, now: number) => first === undefined || rules.isOver(each, now);
  await watches.change(key, (each, now) => (each && isOver(each, now) ? undefined : each));
  watch.auditWatch('end', key, asked, data.verdict, bot);
}

/** Says the device's answer as always, and mentions all who asked. The room gets the tokens once for all watches of the device. */
async function tellChange(
  key: string,
  { standing, verdict }: DeviceWatch,
  { id, said, isLast }: rules.Change<DeviceAnswer>,
  askers: readonly [watch.Asker, ...watch.Asker[]],
  pace: Pace,
  bot: watch.WatchParts,
): Promise<void> {
  const { watches, chat, audit, clock, room, onError, recent, readerOf, explanations } = bot;
  const [{ place }] = askers;
  if (standing !== 'connected') await pace(); // The NAC may be asked for attempts.
  const lines: object[] = [];
  const asker = { person: ASKER, place, arrivedAt: clock.now(), by: 'watch' } as const;
  const reporting = { room, clock, onError, recent, readerOf, explanations };
  const audited = { ...reporting, audit: (entry: object) => void lines.push(entry) };
  const answer = await finishLookup(id, [said], asker, { notes: [], isForJob: true }, audited);
  const message = isLast ? answer : withStop(answer, watch.addressOf(key));
  const isTaken = await chat.deliver(place, { ...message, mentions: askers.map(watch.userOf) });
  for (const { id: person } of isTaken ? askers : [])
    for (const entry of lines) audit({ ...entry, event: 'change', person });
  let isEnded = false;
  await watches.change(key, (each, now) => {
    if (each?.change?.id !== id) return each;
    const after = isTaken ? rules.afterTelling(each, now) : rules.afterRefusal(each, now);
    isEnded = after === undefined;
    return after;
  });
  if (isEnded && !isTaken) watch.auditWatch('end', key, askers, verdict, bot);
}
