import { findMacAddresses } from '../src/mac-address.ts';
import type { Lookup } from '../src/nac/lookup.ts';
import { endsWithin, valueWithin } from '../src/time/within.ts';
import type { Deliver, Delivery, HandOver } from '../src/webhook/delivery.ts';
import { fieldsMessage } from './answers/all-fields.ts';
import { adviseAgain, answerMessage, progressMessage } from './answers/answer.ts';
import { cannotSee, type Unseen } from './answers/beside.ts';
import { ask } from './answers/device-answer.ts';
import type { Explain } from './answers/explain.ts';
import { offerDoubtful } from './answers/no-address.ts';
import { firstOnly, tooOften } from './answers/over-limit.ts';
import { roomText } from './answers/room-text.ts';
import type { Limits } from './dialog.ts';
import { MAX_ADDRESSES } from './dialog.ts';
import { type Element, textCard } from './format/card.ts';
import { line } from './format/line.ts';
import type { Format } from './format/locale.ts';

/** Someone chose "Look up devices" on a message's menu, or pressed a button on the resulting card. */
type ExtensionCall = {
  /** The text of the message or of the button. */
  text: string;
  /** What else the message holds, whose text the bot cannot see. */
  unseen: readonly Unseen[];
  /** Whether the button asks for every field of a device. If so, nothing is posted. */
  isForFields: boolean;
  person: string;
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
export function createMessageExtension({
  lookUp,
  deliver,
  explain,
  handOver,
  limits,
  nacLink,
  now,
  onError,
}: MessageExtensionOptions): MessageExtension {
  return async ({ text, unseen, isForFields, person, key, arrivedAt, format }) => {
    const all = findMacAddresses(text);
    if (all.length === 0)
      return offerDoubtful(text)?.card ?? textCard(unseen.length > 0 ? [cannotSee(unseen)] : [WORDS.none]);
    const addresses = all.slice(0, MAX_ADDRESSES);
    const cut = all.length > MAX_ADDRESSES ? [firstOnly(all.length, format)] : [];

    const waitMs = limits.take(person, addresses.length);
    if (waitMs > 0) return textCard([[tooOften(waitMs, format)]]);

    const asking = ask(addresses, person, lookUp);
    const reader = { format, now: now(), nacLink };
    if (!(await endsWithin(asking.all, arrivedAt + ASK_MS - now()))) {
      asking.all.catch(onError);
      return progressMessage(asking, reader, { isOnTheWay: false, notes: [...cut, WORDS.late] }).card;
    }
    const answers = await asking.all;
    if (isForFields) return fieldsMessage(answers, reader).card;
    const explaining = explain(answers, person);
    const explained = async () => (await valueWithin(explaining, arrivedAt + ASK_MS - now())) ?? answers;
    const news = roomText(answers);
    const advice = [...cut, ...adviseAgain(answers)];
    if (news === undefined) return answerMessage(await explained(), undefined, reader, advice).card;
    let isShown = false;
    const delivering: Promise<Delivery> = deliver(key, news, () => !isShown);
    if (await endsWithin(delivering, arrivedAt + POST_MS - now()))
      return answerMessage(await explained(), await delivering, reader, advice).card;
    isShown = true; // Too late for the card to say what became of the post.
    delivering.catch(onError);
    const isKept = await handOver(key, news, delivering);
    return answerMessage(await explained(), undefined, reader, [
      ...advice,
      isKept ? WORDS.posting : WORDS.unsure,
    ]).card;
  };
}
