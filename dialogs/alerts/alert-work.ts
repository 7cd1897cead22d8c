import { z } from 'zod';
import type { AlertDetails } from '../../src/domain/alert.ts';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import { type Step, takeAlert, takeAnswer } from '../../src/domain/incident.ts';
import type { Job, JobOutcome, Queue } from '../../src/domain/jobs.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import type { Place } from '../format/message.ts';
import { code, type Line, line, paragraphs, toMarkdown, toRoom } from '../format/words.ts';
import { ask, type DeviceAnswer, givenUp, giveUp, isPassing, tokensOf } from '../lookup/device-answer.ts';
import { ASK_FOR_MS, again, giveUpIfOld } from '../lookup/lookup-jobs.ts';
import { reportNumber } from '../lookup/report.ts';
import { fingerprintOf } from '../lookup/told.ts';
import { verdictOf } from '../lookup/verdict.ts';
import { detailsSchema } from './alert-answer.ts';
import { askerOf, type DeviceJob, deviceJobSchema, type TellParts } from './tell.ts';

/** What Amazon SNS sends before its first alert. Somebody must open the link, so only Amazon's own links count. */
export const confirmationSchema = z.object({
  Type: z.literal('SubscriptionConfirmation'),
  TopicArn: z.string().max(300),
  SubscribeURL: z
    .string()
    .max(2000)
    .regex(/^https:\/\/sns\.[a-z\d-]+\.amazonaws\.com(?:\.cn)?\/[\w.~:/?&=%+-]*$/),
});
type Confirmation = z.infer<typeof confirmationSchema>;

/** An alert that was taken, and is still to be added to its incident. Times are milliseconds since 1970. */
export const alertJobSchema = z.object({
  /** The request's fingerprint, which tells a repeat from another alert with the same key. */
  digest: z.string(),
  addresses: z.array(z.string()),
  thread: z.string().optional(),
  leftOut: z.number().optional(),
  details: detailsSchema(z.string()).extend({ incidentKey: z.string().optional() }),
  confirmation: confirmationSchema.optional(),
  arrivedAt: z.number(),
  attempt: z.number(),
});
export type AlertJob = z.infer<typeof alertJobSchema>;

export type Alert = Pick<AlertJob, 'digest' | 'thread' | 'details' | 'confirmation'> & {
  /** Same for a repeat with the same `Idempotency-Key`. */
  key: string;
  /** The devices to look up. With none, an alert is stored only if it says that an incident is resolved. */
  addresses: readonly MacAddress[];
  leftOut: number;
};

/** `other alert`: the same key with another body. `too many`: addresses in one minute. */
export type Accepted = 'accepted' | 'unknown thread' | 'other alert' | 'too many' | 'full';

const WORDS = {
  confirm: 'Amazon SNS asks whether alerts may come here. If you asked for them, open this link to confirm:',
  topic: 'Topic',
};

export type AlertParts = TellParts & { jobs: { alert: Pick<Queue<AlertJob>, 'put' | 'find'> } };

/** Ends the wait for a device whose job was given up. */
export async function giveUpDevice(data: unknown, bot: TellParts): Promise<void> {
  const { data: job } = deviceJobSchema.safeParse(data);
  if (job) await answerAll(job, readDeviceAddress(job.address).map(givenUp), bot);
}

/** Takes from the limit only what is to be stored, so that no wrong or repeated alert keeps others out. */
export async function acceptAlert({ key, addresses, ...alert }: Alert, bot: AlertParts): Promise<Accepted> {
  const { jobs, threads, limits, clock } = bot;
  const { digest, thread, details, confirmation } = alert;
  if (thread !== undefined && (await threads.find(thread)) === undefined) return 'unknown thread';
  const endsIncident = details.state === 'resolved' && details.incidentKey !== undefined;
  if (addresses.length === 0 && !endsIncident && confirmation === undefined) return 'accepted';
  const id = confirmation ? `confirm ${confirmation.SubscribeURL}` : key;
  const asBefore = async () => {
    const known = (await jobs.alert.find(id))?.data;
    return known && (known.digest === digest || confirmation ? 'accepted' : 'other alert');
  };
  const before = await asBefore();
  if (before) return before;
  if (limits.takeAlert(Math.max(1, addresses.length)) > 0) return 'too many';
  const job = {
    ...alert,
    addresses: [...addresses],
    arrivedAt: clock.now(),
    attempt: 0,
  };
  const put = await jobs.alert.put(id, job);
  if (put === 'full') return 'full';
  return (put === 'known' && (await asBefore())) || 'accepted';
}

export async function takeUpAlert({ data, key, seq, ageMs }: Job<AlertJob>, bot: TellParts) {
  const { addresses, thread, leftOut = 0, details, arrivedAt, confirmation } = data;
  const { threads } = bot;
  const old = giveUpIfOld(ageMs);
  if (old) return old;
  const place = thread === undefined ? undefined : await threads.find(thread);
  if (confirmation) await sayLink(confirmation, place, key, bot);
  else {
    const { state, startsAt, incidentKey = `alert ${key}` } = details;
    // Two senders can use the same key, so the name that it was posted to and the conversation belong to it.
    const id = fingerprintOf([incidentKey, thread, place?.reference.conversation.id]);
    const number = reportNumber(key);
    const alert = { seq, at: arrivedAt, state, startsAt, head: details, addresses, leftOut, number };
    await step(id, thread, (known) => takeAlert(known, alert), bot);
  }
  return { kind: 'done' } as const;
}

/** Says the link as text: whoever opens it must have read where it leads. */
async function sayLink(asked: Confirmation, place: Place | undefined, key: string, bot: TellParts) {
  const { TopicArn, SubscribeURL } = asked;
  const topic = line`${[`${WORDS.topic}: `]}${TopicArn}`;
  const told = (link: string, mark: (text: Line) => string) => paragraphs(WORDS.confirm, link, mark(topic));
  if (place) await bot.chat.reply(place, { text: told(code(SubscribeURL), toMarkdown) });
  else await bot.room.post(key, told(SubscribeURL, toRoom), { isForJob: true });
}

export async function lookUpDevice(
  { data: job, ageMs }: Job<DeviceJob>,
  bot: TellParts,
): Promise<JobOutcome<DeviceJob>> {
  const { address, thread } = job;
  const { nac, timing } = bot;
  const asked = await ask(readDeviceAddress(address), askerOf(thread), nac.lookUp).all;
  if (asked.some(isPassing) && ageMs < ASK_FOR_MS) return again(job, timing);
  await answerAll(job, giveUp(asked), bot);
  return { kind: 'done' };
}

async function answerAll(job: DeviceJob, answers: readonly DeviceAnswer[], bot: TellParts) {
  for (const answer of answers) {
    const { address, outcome } = answer;
    const fingerprint = fingerprintOf([address, verdictOf(answer).words, tokensOf(answer)]);
    // The NAC's own text is not kept.
    const said = outcome.kind === 'found' ? { ...answer, outcome: { ...outcome, text: '' } } : answer;
    const told = { at: bot.clock.now(), fingerprint, said };
    await step(job.incident, job.thread, (known) => takeAnswer(known, job.address, told), bot);
  }
}

type StepOf = Step<AlertDetails, DeviceAnswer>;
type Take = (known: StepOf['incident']) => StepOf;

/** Changes an incident, then asks the NAC about its new devices, and has it told. A second time changes nothing more. */
async function step(id: string, thread: string | undefined, take: Take, bot: TellParts) {
  const { incidents, jobs, timing } = bot;
  let taken: StepOf = { incident: undefined, ask: [], tell: 'no' };
  await incidents.change(id, (known) => {
    taken = take(known);
    return taken.incident;
  });
  const { incident, ask: addresses, tell } = taken;
  const number = incident?.number;
  for (const address of addresses) {
    const job = { incident: id, address, thread, number, attempt: 0 };
    await jobs.device.wake(`${id} ${address}`, job);
  }
  if (incident === undefined || tell === 'no') return;
  const devices = incident.devices.map(({ address }) => address);
  const job = { kind: 'incident', about: id, thread, addresses: devices, number, attempt: 0 } as const;
  await jobs.incident.wake(id, job, tell === 'now' ? 0 : timing.alertFirstMs);
}
