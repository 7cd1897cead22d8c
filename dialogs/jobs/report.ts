import type { Deliver } from '../../src/webhook/delivery.ts';
import { answerMessage } from '../answers/answer.ts';
import { type DeviceAnswer, isDevice } from '../answers/device-answer.ts';
import type { Explain } from '../answers/explain.ts';
import { roomText } from '../answers/room-text.ts';
import { newsSince, type ShownBefore, shownNow } from '../answers/shown-before.ts';
import { verdictOf } from '../answers/verdict.ts';
import { createFormats } from '../format/locale.ts';
import { isTargetedPlace, type Message, type Place, readersOf } from '../format/message.ts';

export type ReportOptions = {
  deliver: Deliver;
  explain: Explain;
  /** Remembers a lookup for the command `recent`. `at` is milliseconds since 1970. */
  remember(readers: string, lookup: { asked: string; address: string; verdict: string; at: number }): void;
  /** Sends a message after the turn. */
  sayLater(place: Place, message: Message): Promise<void>;
  /** Replaces a message after the turn. Returns false if the chat service does not allow it. */
  replaceLater(place: Place, messageId: string, message: Message): Promise<boolean>;
  /** The NAC's own page for a device; undefined: answers have no link to it. */
  nacLink: string | undefined;
  now: () => number;
};

/** Posts and tells a lookup's answers, in its turn and after it. */
export type Report = {
  /**
   * Posts the tokens, if there are any that the room was not told, and returns the answer for the asker. What explains the
   * answers is not posted.
   * @param asker `was`: what the answer's message said before, if it is an edit
   * @param notes our sentences at the end, without foreign text
   */
  make(
    key: string,
    answers: readonly DeviceAnswer[],
    asker: { place: Place; person: string; was?: ShownBefore | undefined },
    notes?: readonly string[],
  ): Promise<Message>;
  /** Sends the answer after the turn, and mentions its asker. Replaces the message with this id, if there is one. */
  tellLater(place: Place, messageId: string | undefined, message: Message): Promise<void>;
};

const WORDS = { onlyYou: 'Only you see this answer; everyone in the room sees the tokens.' };

export function createReport({
  deliver,
  explain,
  remember,
  sayLater,
  replaceLater,
  nacLink,
  now,
}: ReportOptions): Report {
  const formatOf = createFormats(now);
  return {
    async make(key, answers, { place, person, was }, notes = []) {
      const news = roomText(newsSince(was, answers));
      const [delivery, explained] = await Promise.all([
        news === undefined ? undefined : deliver(key, news),
        explain(answers, person),
      ]);
      const reader = { format: formatOf(place), now: now(), nacLink };
      const readers = readersOf(place);
      for (const answer of answers.filter(isDevice)) {
        const { words: verdict } = verdictOf(answer, reader.format);
        const { asked, address } = answer;
        remember(readers, { asked, address, verdict, at: reader.now });
      }
      const isPosted = delivery !== undefined && (delivery.outcome.kind === 'posted' || delivery.kept);
      const shown = shownNow(was, answers, { ...reader, isPosted });
      const privately = isPosted && isTargetedPlace(place) ? [WORDS.onlyYou] : [];
      return answerMessage(explained, delivery, reader, [...privately, ...notes], shown);
    },
    async tellLater(place, messageId, message) {
      const late: Message = { ...message, mentionsAsker: true };
      const isReplaced = messageId !== undefined && (await replaceLater(place, messageId, late));
      if (!isReplaced) await sayLater(place, late);
    },
  };
}
