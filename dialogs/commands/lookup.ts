import type { JobOutcome } from '../../src/domain/jobs.ts';
import { isTransient } from '../../src/domain/outcome.ts';
import { settlesWithin } from '../../src/domain/timing.ts';
import { MAX_ADDRESSES, type Turn } from '../dialog.ts';
import { startLookups } from '../lookup/device-lookups.ts';
import * as jobs from '../lookup/jobs.ts';
import { offerRest, tooOften } from '../lookup/replies.ts';
import { finishLookup, shownStateSchema } from '../lookup/report.ts';
import { stillAsking } from '../render/answer.ts';
import type { Bot, Command } from './command.ts';

export const lookup: Command = {
  summary: 'asks the NAC for the session of a device',
  example: 'lookup AA:BB:CC:DD:EE:FF',
  /** Identical presses share one result. */
  async answer(turn, bot) {
    const press = pressOf(turn);
    if (!press) return lookUpDevices(turn, {}, bot);
    const { presses } = bot;
    const key = JSON.stringify([turn.place.reference.conversation.id, press.messageId, turn.text]);
    const running =
      presses.get(key) ?? lookUpDevices(turn, press, bot).finally(() => void presses.delete(key));
    presses.set(key, running);
    await running;
  },
};

export const fields: Command = {
  summary: 'shows all that the NAC says of a device',
  example: 'fields AA:BB:CC:DD:EE:FF',
  answer: (turn, bot) => lookUpDevices(turn, { by: 'fields' }, bot),
};

type Lookups = ReturnType<typeof startLookups>;
type LookupTurn = Turn & jobs.LookupRequest;

/** @param more the pressed message, or another way than a lookup's own */
async function lookUpDevices(turn: Turn, more: Partial<LookupTurn>, bot: Bot): Promise<void> {
  const { addresses: devices, person, say } = turn;
  const first = devices.slice(0, MAX_ADDRESSES);
  const waitMs = bot.limits.take(person, first.length);
  if (waitMs > 0) return turn.isAddressed ? say(tooOften(waitMs)) : undefined;
  if (devices.length > first.length) await say(offerRest(devices));
  const by = turn.submission ? 'press' : 'message';
  return answerOrQueue({ ...turn, by, addresses: first, ...more }, bot);
}

/** A slow lookup shows its progress, then the answer in its place. After the turn, a job answers in a new message. */
async function answerOrQueue(request: LookupTurn, bot: Bot): Promise<void> {
  const { nac, clock, timing } = bot;
  const { key, addresses, person, begunAt } = request;
  const lookups = startLookups(addresses, person, nac.lookUp);
  let queued: Awaited<ReturnType<typeof jobs.queueLookup>>;
  /** None if another answers the question. */
  async function conclude() {
    const answers = await lookups.finished;
    if (queued === 'known' || bot.endedLookups.has(key)) return undefined;
    const left = answers.filter(isTransient);
    const later = left.length > 0 ? [await jobs.queueLater(request, left, bot)] : [];
    const asker = { notes: [...later, ...request.notes], isRemembered: queued === 'put' };
    return finishLookup(answers, { ...request, ...asker }, bot);
  }
  const answering = conclude();
  answering.catch(() => {}); // Prevents an unhandled rejection until the answer is awaited.
  const isAnswered = (ms: number) => settlesWithin(answering, begunAt + ms - clock.steady());
  const isQuick = await isAnswered(timing.progressMs);
  const shown = isQuick ? request : { ...request, messageId: await sayProgress(request, lookups, false) };
  const isInTime = isQuick || (await isAnswered(timing.turnMs));
  if (!isInTime) {
    const jobEnd = Promise.withResolvers<JobOutcome<jobs.LookupJob>>();
    queued = await jobs.queueLookup(shown, jobEnd.promise, bot);
    if (queued === 'known') return; // The job's own answer will come.
    if (queued === 'put') {
      const saying = sayProgress(shown, lookups, true);
      const said = saying.catch(() => {}); // Its error is the turn's to handle; it comes before the answer.
      jobEnd.resolve(said.then(async () => jobs.answerLate(shown, await answering, bot)));
      return void (await saying);
    }
  }
  const answer = await answering;
  if (answer) await request.say(answer, shown.messageId);
  if (!isInTime) await jobs.endLookup(key, bot); // A database that hangs may still make the job.
}

async function sayProgress(request: LookupTurn, lookups: Lookups, isQueued: boolean) {
  const { shownBefore: state, formatter, messageId } = request;
  const message = stillAsking(lookups.soFar(), formatter, { isQueued, state });
  return request.sayOnce(message, messageId); // A later try would come after the answer.
}

/** A press that edits the message of its button. The data is untrusted; the message's id is the chat service's. */
export function pressOf({ submission }: Pick<Turn, 'submission'>) {
  const shownBefore = submission && shownStateSchema.safeParse(submission.data.was).data;
  return submission?.cardId && shownBefore ? { messageId: submission.cardId, shownBefore } : undefined;
}
