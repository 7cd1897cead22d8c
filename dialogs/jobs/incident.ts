import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AlertDetails } from '../answers/alert-details.ts';
import type { News } from '../answers/alert-news.ts';
import { type DeviceAnswer, tokensOf } from '../answers/device-answer.ts';
import { verdictOf } from '../answers/verdict.ts';
import { MAX_ADDRESSES } from '../dialog.ts';
import { formatFor } from '../format/locale.ts';
import type { Place } from '../format/message.ts';

/** By the address that a device was asked for: a digest of its own address, its verdict and its tokens. */
type Marks = z.infer<typeof marksSchema>;
const marksSchema = z.record(z.string(), z.string());

/** What was told of an incident at one place. Plain data that can be stored. Times are milliseconds since 1970. */
export const incidentSchema = z.object({
  state: z.enum(['firing', 'resolved']),
  /** When the incident began, as the alert said that was told last. */
  startsAt: z.number().optional(),
  /** The earliest that an alert said, or when the first arrived. */
  since: z.number(),
  /** How many alerts said that the incident was firing. */
  times: z.number(),
  /** The alert that was told last: a digest of its key, and when it arrived. */
  alert: z.string(),
  arrivedAt: z.number(),
  /** The message in the thread. Undefined: there is none that could be edited. */
  messageId: z.string().optional(),
  /** The devices of the alert that was told last. */
  devices: marksSchema,
  /** What the room was told, and whether that post may still wait. */
  posted: marksSchema,
  isKept: z.boolean(),
});
export type Incident = z.infer<typeof incidentSchema>;

/** An alert of an incident. */
export type Arrival = {
  /** A digest of the alert's key. */
  alert: string;
  state: Incident['state'];
  startsAt: number | undefined;
  arrivedAt: number;
};

/**
 * What an alert means for its incident:
 * - `new`: an incident of which nothing was told
 * - `again`: still as it was told
 * - `resolved`, `reopened`: the state has changed
 * - `stale`: a later alert was told already
 * - `told`: this alert was told already, but its process died before its job was settled
 */
export type Step = 'new' | 'again' | 'resolved' | 'reopened' | 'stale' | 'told';

/** The digest under which an incident is remembered: one for each place, or for each name that has no place. */
export function incidentId(
  incidentKey: string,
  place: Place | undefined,
  thread: string | undefined,
): string {
  const where = place ? ['place', place.reference.conversation.id] : ['thread', thread];
  return digest(JSON.stringify([incidentKey, ...where]));
}

/** An alert that says neither firing nor resolved counts as firing. */
export function arrivalOf(
  key: string,
  { state, startsAt }: Pick<AlertDetails, 'state' | 'startsAt'>,
  arrivedAt: number,
): Arrival {
  return { alert: digest(key), state: state === 'resolved' ? 'resolved' : 'firing', startsAt, arrivedAt };
}

/** A firing incident stays the same whatever its alert's time: the group's earliest alert may be gone. */
export function stepOf(last: Incident | undefined, { alert, state, startsAt, arrivedAt }: Arrival): Step {
  if (last === undefined) return 'new';
  if (last.alert === alert) return 'told';
  if (arrivedAt < last.arrivedAt) return 'stale';
  if (last.state === 'resolved' && startsAt !== last.startsAt && startsAt !== last.since) return 'new';
  if (last.state === state) return 'again';
  return state === 'resolved' ? 'resolved' : 'reopened';
}

/** What the room has not heard. A stale alert does not say which devices are in the incident now, so none is gone. */
export function newsOf(step: Step, posted: Marks, answers: readonly DeviceAnswer[]): News {
  const marks = marksOf(answers);
  return {
    changed: answers.filter(({ asked }) => step === 'new' || marks[asked] !== posted[asked]),
    gone: step === 'new' || step === 'stale' ? [] : Object.keys(posted).filter((each) => !(each in marks)),
  };
}

export function isSame(told: Marks, answers: readonly DeviceAnswer[]): boolean {
  const { changed, gone } = newsOf('again', told, answers);
  return changed.length + gone.length === 0;
}

/** The devices that were told last, for an alert that names none. */
export function addressesOf({ devices, posted }: Incident): string[] {
  const told = Object.keys(devices);
  return (told.length > 0 ? told : Object.keys(posted)).slice(0, MAX_ADDRESSES);
}

/** Since when an incident is known, and how many alerts said that it was firing. This alert is included. */
export function historyOf(
  last: Incident | undefined,
  step: Step,
  { state, startsAt, arrivedAt }: Arrival,
): Pick<Incident, 'since' | 'times'> {
  const before = step === 'new' ? undefined : last;
  return {
    since: Math.min(before?.since ?? arrivedAt, startsAt ?? arrivedAt),
    times: (before?.times ?? 0) + (state === 'firing' ? 1 : 0),
  };
}

/** Far more than one alert can have. Stale alerts add their devices to what the room was told. */
const MOST_MARKS = 100;

/** No chat service's ids are longer. */
const MOST_ID_CHARACTERS = 1000;

/** What is remembered once the room was told of the devices, or will be by a post that waits: of the thread, nothing yet. */
export function afterPosting(
  last: Incident | undefined,
  step: Step,
  arrival: Arrival,
  { answers, isKept }: { answers: readonly DeviceAnswer[]; isKept: boolean },
): Incident {
  const marks = marksOf(answers);
  if (last === undefined || step === 'new') {
    const { state, startsAt, arrivedAt } = arrival;
    const { since } = historyOf(undefined, 'new', arrival);
    const told = { since, times: 0, alert: '', arrivedAt, devices: {} };
    return { state, ...(startsAt !== undefined && { startsAt }), ...told, posted: marks, isKept };
  }
  if (step !== 'stale') return { ...last, posted: marks, isKept };
  const all = Object.entries({ ...marks, ...last.posted, ...marks }).slice(0, MOST_MARKS);
  return { ...last, posted: Object.fromEntries(all), isKept };
}

/** What is remembered once the thread was told too. @param known what is remembered before */
export function afterTelling(
  known: Incident | undefined,
  step: Step,
  arrival: Arrival,
  { answers, messageId = '' }: { answers: readonly DeviceAnswer[]; messageId: string | undefined },
): Incident {
  if (known !== undefined && step === 'stale') return known;
  const { state, startsAt, arrivedAt, alert } = arrival;
  return {
    state,
    ...(startsAt !== undefined && { startsAt }),
    ...historyOf(known, step, arrival),
    alert,
    arrivedAt,
    ...(messageId !== '' && messageId.length <= MOST_ID_CHARACTERS && { messageId }),
    devices: marksOf(answers),
    posted: known?.posted ?? {},
    isKept: known?.isKept ?? false,
  };
}

/** In a format of its own, so that no reader's language changes a mark. */
function marksOf(answers: readonly DeviceAnswer[]): Marks {
  const format = formatFor({}, () => 0);
  return Object.fromEntries(
    answers.map((answer) => [
      answer.asked,
      digest(JSON.stringify([answer.address, verdictOf(answer, format).words, ...tokensOf(answer)])),
    ]),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
