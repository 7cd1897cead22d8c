import type { Deliver, Delivery } from '../../src/webhook/delivery.ts';
import { type AnsweredAlert, alertMessage } from '../answers/alert-answer.ts';
import { type News, newsRoomText, stateLine } from '../answers/alert-news.ts';
import { formatFor } from '../format/locale.ts';
import type { Message, Place } from '../format/message.ts';
import { type Incident, isSame, type Step } from './incident.ts';

export type TellOptions = {
  deliver: Deliver;
  /** Returns the message's id; undefined if it is kept for later or went in pieces. */
  sayLater(place: Place, message: Message): Promise<string | undefined>;
  /** Replaces a message after the turn. Returns false if the chat service does not allow it. */
  replaceLater(place: Place, messageId: string, message: Message): Promise<boolean>;
  /** The NAC's own page for a device; undefined: answers have no link to it. */
  nacLink: string | undefined;
  now: () => number;
};

/** An alert whose devices are looked up, and what was told of its incident before. */
export type Telling = {
  key: string;
  alert: AnsweredAlert;
  /** Undefined: the alert names no thread, or a name without a place. */
  place: Place | undefined;
  step: Step;
  last: Incident | undefined;
  /** What the room has not heard. */
  news: News;
};

/** Posts what the room has not heard of the incident. If there is nothing, returns what became of the last post. */
export async function tellRoom(
  { key, alert, place, step, last, news }: Telling,
  { deliver, now }: TellOptions,
): Promise<Delivery> {
  if (step !== 'new' && news.changed.length + news.gone.length === 0) return last?.isKept ? WAITING : POSTED;
  const text = newsRoomText(alert, news, { format: formatFor({}, now), now: now() });
  return deliver(key, text, () => place !== undefined && step !== 'stale');
}

const POSTED: Delivery = { outcome: { kind: 'posted' }, partly: false, kept: false };
const WAITING: Delivery = { outcome: { kind: 'waiting' }, partly: false, kept: true };

/**
 * Edits the incident's message in the thread, and says a line if the incident is resolved or fires again. Says a new
 * message if there is none to edit, or the chat service refuses the edit.
 * @returns the id of the message that answers the incident now
 */
export async function tellThread(
  { alert, place, step, last }: Telling,
  delivery: Delivery,
  { sayLater, replaceLater, nacLink, now }: TellOptions,
): Promise<string | undefined> {
  const shown = step === 'new' ? undefined : last?.messageId;
  if (place === undefined || step === 'stale') return shown;
  const reader = { format: formatFor(place, now), now: now(), nacLink };
  const message = alertMessage(alert, delivery, reader);
  if (shown !== undefined && (await replaceLater(place, shown, message))) {
    if (step === 'resolved' || step === 'reopened')
      await sayLater(place, stateLine(step, alert, reader.format));
    return shown;
  }
  const isSaid = step === 'again' && shown === undefined && isSame(last?.devices ?? {}, alert.answers);
  return isSaid ? undefined : sayLater(place, message);
}
