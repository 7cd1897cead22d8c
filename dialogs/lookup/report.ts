import type { Audit } from '../../src/ops/audit.ts';
import type { Deliver } from '../../src/webhook/delivery.ts';
import type { Turn } from '../dialog.ts';
import { createFormats } from '../format/locale.ts';
import { isTargetedPlace, type Message, type Place, readersOf } from '../format/message.ts';
import { answerMessage, roomText } from './answer.ts';
import type { Explain } from './attempts.ts';
import { auditAnswers } from './audit-answers.ts';
import { type DeviceAnswer, isDevice, sayNumber } from './device-answer.ts';
import { type ShownBefore, shownNow, untold } from './difference.ts';
import { questionKey } from './kept-jobs.ts';
import { reportNumber } from './report-number.ts';
import { verdictOf } from './verdict.ts';

export type ReportOptions = {
  deliver: Deliver;
  explain: Explain;
  /** Remembers a lookup for the command `recent`. `at` is milliseconds since 1970. */
  remember(readers: string, lookup: { asked: string; address: string; verdict: string; at: number }): void;
  audit: Audit;
  /** Sends a message after the turn. */
  sayLater(place: Place, message: Message): Promise<unknown>;
  /** Replaces a message after the turn. Returns false if the chat service does not allow it. */
  replaceLater(place: Place, messageId: string, message: Message): Promise<boolean>;
  /** The NAC's own page for a device; undefined: answers have no link to it. */
  nacLink: string | undefined;
  now: () => number;
};

/** Who asked, where, when and how. `was`: what the answer's message said before, if it is an edit. */
export type Asker = Pick<Turn, 'place' | 'person' | 'arrivedAt'> & {
  by: 'message' | 'press';
  was?: ShownBefore | undefined;
};

/** What an answer says at its end: `notes` are our sentences, without foreign text. `unfinished` devices are asked for again. */
type Ending = { notes: readonly string[]; unfinished?: readonly DeviceAnswer[] };

/** Posts and tells a lookup's answers, in its turn and after it. */
export type Report = {
  /**
   * Posts the tokens, if there are any that the room was not told, and returns the answer for the asker. What explains the
   * answers is not posted.
   * @param key the question's or its job's
   */
  make(key: string, answers: readonly DeviceAnswer[], asker: Asker, ending: Ending): Promise<Message>;
  /** Sends the answer after the turn, and mentions its asker. Replaces the message with this id, if there is one. */
  tellLater(place: Place, messageId: string | undefined, message: Message): Promise<void>;
};

const WORDS = { onlyYou: 'Only you see this answer; everyone in the room sees the tokens.' };

export function createReport({
  deliver,
  explain,
  remember,
  audit,
  sayLater,
  replaceLater,
  nacLink,
  now,
}: ReportOptions): Report {
  const formatOf = createFormats(now);
  return {
    async make(key, answers, { place, person, arrivedAt, by, was }, { notes, unfinished = [] }) {
      const news = untold(was, answers);
      const format = formatOf(place);
      const text = roomText(news, format);
      const [delivery, explained] = await Promise.all([
        text === undefined ? undefined : deliver(key, text),
        explain(answers, person),
      ]);
      const number = reportNumber(questionKey(key));
      const reader = { format, now: now(), nacLink };
      const readers = readersOf(place);
      for (const answer of answers.filter(isDevice)) {
        const { words: verdict } = verdictOf(answer, reader.format);
        const { asked, address } = answer;
        remember(readers, { asked, address, verdict, at: reader.now });
      }
      const isPosted = delivery !== undefined && (delivery.outcome.kind === 'posted' || delivery.kept);
      const shown = shownNow(was, answers, { ...reader, isPosted });
      const finished = answers.filter((answer) => !unfinished.includes(answer));
      const times = { askedAt: arrivedAt, answeredAt: reader.now };
      auditAnswers(audit, { number, by, person, place, ...times, delivery, news }, finished, reader.format);
      const privately = isPosted && isTargetedPlace(place) ? [WORDS.onlyYou] : [];
      const ending = [...privately, ...notes, ...sayNumber(number, answers, delivery)];
      return answerMessage(explained, delivery, reader, ending, shown);
    },
    async tellLater(place, messageId, message) {
      const late: Message = { ...message, mentionsAsker: true };
      const isReplaced = messageId !== undefined && (await replaceLater(place, messageId, late));
      if (!isReplaced) await sayLater(place, late);
    },
  };
}
