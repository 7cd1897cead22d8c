import { findMacAddresses } from '../src/domain/mac-address.ts';
import type { Lookup } from '../src/domain/outcome.ts';
import { endsWithin } from '../src/domain/timing.ts';
import type { Audit } from '../src/ops/audit.ts';
import type { Deliver, Delivery, HandOver } from '../src/webhook/delivery.ts';
import { type Limits, MAX_ADDRESSES } from './dialog.ts';
import type { Element } from './format/card.ts';
import { type Line, line } from './format/line.ts';
import type { Format } from './format/locale.ts';
import { linePart, messageOf, type Place } from './format/message.ts';
import { adviseAgain, answerMessage, fieldsMessage, progressMessage, roomText } from './lookup/answer.ts';
import type { Explain } from './lookup/attempts.ts';
import { auditAnswers } from './lookup/audit-answers.ts';
import { firstOnly, onlyFirstPart, tooOften } from './lookup/bounds.ts';
import { ask, type DeviceAnswer, sayNumber } from './lookup/device-answer.ts';
import { untold } from './lookup/difference.ts';
import { cannotSee, offerDoubtful, type Unseen } from './lookup/no-address.ts';
import { reportNumber } from './lookup/report-number.ts';

/** Someone chose "Look up devices" on a message's menu, or pressed a button on the resulting card. */
type ExtensionCall = {
  /** The text of the message or of the button. */
  text: string;
  /** Whether the message is longer than what is searched. */
  isCut: boolean;
  /** What else the message holds, whose text the bot cannot see. */
  unseen: readonly Unseen[];
  /** Whether the button asks for every field of a device. If so, nothing is posted. */
  isForFields: boolean;
  person: string;
  place: Place;
  key: string;
  /** Milliseconds since 1970. */
  arrivedAt: number;
  format: Format;
};

export type MessageExtensionOptions = {
  lookUp: Lookup;
  deliver: Deliver;
  /** Its words are shown if they come in time for the card. */
  explain: Explain;
  /** Keeps a post that is under way when the card is shown. */
  handOver: HandOver;
  audit: Audit;
  limits: Pick<Limits, 'take'>;
  /** The NAC's own page for a device; undefined: cards have no link to it. */
  nacLink: string | undefined;
  now: () => number;
  onError(error: unknown): void;
};

/** The title in the menu, the manifest and the card's window. */
export const EXTENSION_TITLE = 'Look up devices';

export type MessageExtension = (call: ExtensionCall) => Promise<Element | undefined>;

/** Time limits from the call's arrival: the client shows an error after five seconds, so a progress card comes first. */
const ASK_MS = 3500;
const POST_MS = 4300;

const WORDS = {
  none: line`I see no MAC address in this message.`,
  late: 'The NAC has not answered for every device yet. Nothing was posted. Please look up again in a moment.',
  posting: 'The tokens are on their way to the room.',
  unsure: 'The room has not taken the tokens yet, and I cannot promise that it will. Please look there.',
};

/**
 * Looks up a message's devices. Returns the card within five seconds. The message was written for others, so digits that
 * may be any number are offered, not looked up.
 */
export function createMessageExtension(options: MessageExtensionOptions): MessageExtension {
  const { lookUp, audit, limits, nacLink, now, onError } = options;
  return async (call) => {
    const { text, isCut, unseen, person, arrivedAt, format } = call;
    const all = findMacAddresses(text);
    if (all.length === 0 && isCut) return sayCard([onlyFirstPart(true)]);
    if (all.length === 0)
      return offerDoubtful(text)?.card ?? sayCard(unseen.length > 0 ? cannotSee(unseen) : WORDS.none);
    const addresses = all.slice(0, MAX_ADDRESSES);
    const cut = [
      ...(isCut ? [onlyFirstPart()] : []),
      ...(all.length > MAX_ADDRESSES ? [firstOnly(all.length, format)] : []),
    ];

    const waitMs = limits.take(person, addresses.length);
    if (waitMs > 0) return sayCard([tooOften(waitMs, format)]);

    const asking = ask(addresses, person, lookUp);
    if (await endsWithin(asking.all, arrivedAt + ASK_MS - now()))
      return answerCard(call, await asking.all, cut, options);
    const lookup = auditedOf(call);
    asking.all
      .then((late) => auditAnswers(audit, { ...lookup, answeredAt: undefined }, late, format))
      .catch(onError);
    const notes = [...cut, WORDS.late, ...sayNumber(lookup.number, asking.answered(), undefined)];
    return progressMessage(asking, { format, now: now(), nacLink }, { isOnTheWay: false, notes }).card;
  };
}

/** Posts the tokens. Returns the card, with what became of the post if that is known in time. */
async function answerCard(
  call: ExtensionCall,
  answers: readonly DeviceAnswer[],
  cut: readonly string[],
  { deliver, explain, handOver, audit, nacLink, now, onError }: MessageExtensionOptions,
): Promise<Element | undefined> {
  const { isForFields, person, key, arrivedAt, format } = call;
  const lookup = auditedOf(call);
  const reader = { format, now: now(), nacLink };
  const news = untold(undefined, answers);
  const write = (delivery?: Delivery, answeredAt = now()) =>
    auditAnswers(audit, { ...lookup, answeredAt, delivery, news }, answers, format);
  if (isForFields) {
    write();
    return fieldsMessage(answers, lookup.number, reader).card;
  }

  const explaining = explain(answers, person);
  const say = async (delivery?: Delivery, notes: readonly string[] = []) => {
    const isInTime = await endsWithin(explaining, arrivedAt + ASK_MS - now());
    const explained = isInTime ? await explaining : answers;
    const number = sayNumber(lookup.number, answers, delivery);
    const ending = [...cut, ...adviseAgain(answers), ...notes, ...number];
    return answerMessage(explained, delivery, reader, ending).card;
  };
  const text = roomText(news, format);
  if (text === undefined) {
    write();
    return say();
  }
  let isShown = false;
  const delivering: Promise<Delivery> = deliver(key, text, () => !isShown);
  if (await endsWithin(delivering, arrivedAt + POST_MS - now())) {
    write(await delivering);
    return say(await delivering);
  }
  isShown = true; // Too late for the card to say what became of the post.
  const answeredAt = now();
  delivering.then((delivery) => write(delivery, answeredAt)).catch(onError);
  const isKept = await handOver(key, text, delivering);
  return say(undefined, [isKept ? WORDS.posting : WORDS.unsure]);
}

function auditedOf({ key, isForFields, person, place, arrivedAt }: ExtensionCall) {
  const by = isForFields ? 'fields' : 'menu';
  return { number: reportNumber(key), by, person, place, askedAt: arrivedAt } as const;
}

function sayCard(words: Line): Element | undefined {
  return messageOf([linePart(words)], []).card;
}
