import type { Delivery } from '../../src/webhook/posts.ts';
import * as card from './card.ts';
import { verdictOf } from './describe.ts';
import { type DeviceAnswer, isTransient, leftOutText, placeText, recordOf, tokensOf } from './device.ts';
import { postFaultText } from './faults.ts';
import { devicesMessage } from './many-devices.ts';
import { MESSAGE_CHARACTERS, type Message, messageOf } from './message.ts';
import { type Closing, deviceMessage } from './one-device.ts';
import { type Devices, headline, worstFirst } from './triage.ts';
import { type Formatter, joinLines, type Line, line, paragraphs, toRoom } from './words.ts';

const WORDS = {
  again: 'Please look up again in a minute.',
  asking: 'Still asking the NAC; the answer will come here.',
  posting: 'I am still posting to the room.',
};

type Shown = Pick<Closing, 'was' | 'change' | 'isBrief'>;

/** The answer in chat. `notes`: our sentences at its end. `shown` lets a press of "Look up again" edit the message. */
export function renderAnswer(
  answers: readonly DeviceAnswer[],
  delivery: Delivery | undefined,
  formatter: Formatter,
  notes: readonly string[] = [],
  shown?: Shown,
): Message {
  const posted = delivery ? [deliveryText(delivery)] : [];
  const closing = { ...shown, delivery, ending: [...posted, ...notes, ...leftOutText(answers, formatter)] };
  const [only, ...others] = answers;
  return only !== undefined && others.length === 0
    ? deviceMessage(only, closing, formatter)
    : devicesMessage({ answers, waiting: [] }, closing, formatter);
}

/** The answer while the NAC is still asked about some devices. Holds their count alone if they do not fit. */
export function progressMessage(
  devices: Devices,
  formatter: Formatter,
  { isOnTheWay, notes = [] }: { isOnTheWay: boolean; notes?: readonly string[] },
): Message {
  const message = devicesMessage(devices, { ending: notes, isOnTheWay }, formatter);
  if (message.text.length <= MESSAGE_CHARACTERS) return message;
  return messageOf([card.headingPart(headline(devices, formatter)), ...notes.map(card.notePart)]);
}

/** The advice to look up again. Empty unless the NAC was down; for answers that the bot does not ask for again itself. */
export const adviseAgain = (answers: readonly DeviceAnswer[]): string[] =>
  answers.some(isTransient) ? [WORDS.again] : [];

/** The message for a lookup in progress. `isQueued`: the answer comes even if this process dies. */
export function stillAsking(
  devices: Devices,
  formatter: Formatter,
  { isQueued, isPosting }: { isQueued: boolean; isPosting: boolean },
): Message {
  const { answers, waiting } = devices;
  const [only, ...others] = waiting;
  const notes = [
    ...(only !== undefined && isQueued ? [WORDS.asking] : []),
    ...(isPosting ? [WORDS.posting] : []),
  ];
  if (answers.length + waiting.length !== 1)
    return progressMessage(devices, formatter, { isOnTheWay: true, notes });
  if (only === undefined || others.length > 0) return renderAnswer(answers, undefined, formatter, notes);
  const promise = isQueued ? ' The answer will come here.' : '';
  return messageOf([card.linePart(line`Still asking the NAC about ${only}.${[promise]}`)]);
}

/** A device in a post to the room: its address, verdict, place and why, then each token literally on a line of its own. */
export function roomBlock(answer: DeviceAnswer, why: Line = []): string {
  const verdict = line`${answer.address} ${verdictOf(answer).heading}`;
  const first = joinLines([verdict, placeText(recordOf(answer))], ', ');
  return [toRoom(why.length > 0 ? [...first, '. ', ...why] : first), ...tokensOf(answer)].join('\n');
}

/** The post for the room about devices with tokens, the worst first; undefined without any. */
export function roomText(answers: readonly DeviceAnswer[], formatter: Formatter): string | undefined {
  if (answers.length === 0) return undefined;
  const sorted = answers.length > 1 ? worstFirst(answers) : answers;
  const blocks = sorted.map((answer) => roomBlock(answer));
  return paragraphs(...blocks, ...leftOutText(answers, formatter, String));
}

/** The result of the room's post: of a lookup's tokens, or an alert's devices. Contains no untrusted text. */
export function deliveryText({ outcome, partly, isQueued }: Delivery, what: 'tokens' | 'devices' = 'tokens') {
  if (outcome.kind === 'posted') return `The ${what} were posted to the room.`;
  if (outcome.kind === 'waiting')
    return `The ${what} are not posted yet, because the room did not take them at first. I keep trying for 24 hours.`;
  if (outcome.kind === 'under way')
    return isQueued
      ? `The ${what} are on their way to the room.`
      : `The room has not taken the ${what} yet, and I cannot promise that it will. Please look there.`;
  const opening = partly
    ? `Some of the ${what} were posted to the room; the rest were not posted`
    : `The ${what} were not posted to the room`;
  const fault = `${opening}: ${postFaultText(outcome)}.`;
  if (isQueued) return `${fault} I keep trying for 24 hours.`;
  const isUntrusted = outcome.kind === 'no answer' && outcome.fault.kind === 'untrusted';
  const settings = isUntrusted ? 'WEBHOOK_TLS' : 'WEBHOOK_URL and WEBHOOK_TOKEN';
  return `${fault} Please pass them on yourself. The bot's operator can check ${settings}.`;
}
