import { findMacAddresses, kindOf, type MacAddress } from '../../src/mac-address.ts';
import type { Lookup } from '../../src/nac/lookup.ts';
import type { JobOutcome, Queue } from '../../src/store/queues.ts';
import { endsWithin } from '../../src/time/within.ts';
import type { Deliver } from '../../src/webhook/delivery.ts';
import { answerMessage, progressMessage } from '../answers/answer.ts';
import { type Asking, ask, type DeviceAnswer, isPassing } from '../answers/device-answer.ts';
import { guessesBeside, noAddress } from '../answers/no-address.ts';
import { tooMany, tooOften } from '../answers/over-limit.ts';
import { roomText } from '../answers/room-text.ts';
import { verdictOf } from '../answers/verdict.ts';
import type { Dialog, Turn } from '../dialog.ts';
import { type Limits, MAX_ADDRESSES } from '../dialog.ts';
import { createFormats, type Reader } from '../format/locale.ts';
import type { Message, Place } from '../format/message.ts';
import { conversationOf } from '../format/message.ts';
import { createHeldJobs, HOLD_MS } from '../jobs/held-jobs.ts';
import type { LookupJob } from '../jobs/lookup-job.ts';
import { ASK_FOR_MS, askAgainAfterMs } from '../jobs/lookup-job.ts';
import type { RecentLookups } from './recent.ts';

export type LookupOptions = {
  lookUp: Lookup;
  deliver: Deliver;
  jobs: Pick<Queue<LookupJob>, 'put' | 'defer' | 'settle'>;
  recent: Pick<RecentLookups, 'note'>;
  limits: Pick<Limits, 'take' | 'giveBack'>;
  /** Says something after the turn. */
  sayLater(place: Place, message: Message): Promise<void>;
  /** Puts something in the place of a message after the turn; false where the chat service does not let it. */
  replaceLater(place: Place, messageId: string, message: Message): Promise<boolean>;
  /** When a turn is over and what is still under way becomes a job, counted from the message's arrival. */
  turnMs: number;
  now: () => number;
  onError(error: unknown): void;
};

export type LookupDialog = {
  dialog: Dialog;
  /** One try of a lookup that was kept. */
  resume(job: LookupJob, key: string): Promise<JobOutcome<LookupJob>>;
};

/** When the asker of several devices is told how far it is, counted from the message's arrival. */
const PROGRESS_MS = 2000;

const WORDS = {
  stillAsking: 'Still asking the NAC; the answer will come here.',
  stillPosting: 'The NAC has answered; I am still posting to the room. The answer will come here.',
  keepTrying: 'I keep trying for 10 minutes; the answer will come here.',
  tooBusy: 'Too many lookups wait already, so I do not try again by myself. Please ask again later.',
  gaveUp: 'I have tried for 10 minutes and give up now.',
};

/** Looks up every MAC address of a message, posts what was found to the room, and answers the asker. */
export function createLookup(options: LookupOptions): LookupDialog {
  const { lookUp, deliver, jobs, recent, limits, sayLater, replaceLater, turnMs, now, onError } = options;
  const held = createHeldJobs(jobs, onError);

  const formatOf = createFormats(now);
  const readerAt = (place: Place): Reader => ({ format: formatOf(place), now: now() });

  /** Posts what there is to post, and gives what the asker is told. */
  async function report(
    key: string,
    answers: readonly DeviceAnswer[],
    place: Place,
    notes: readonly string[] = [],
  ): Promise<Message> {
    const news = roomText(answers);
    const delivery = news === undefined ? undefined : await deliver(key, news);
    const reader = readerAt(place);
    const conversation = conversationOf(place);
    for (const answer of answers.filter(({ address }) => kindOf(address) === 'device')) {
      const { words: verdict } = verdictOf(answer, reader.format);
      recent.note(conversation, { address: answer.address, verdict, at: reader.now });
    }
    return answerMessage(answers, delivery, reader, notes);
  }

  /** Keeps what a NAC that is down did not answer; gives what the asker is told of that, if there is anything. */
  async function keep(
    key: string,
    { place, person, arrivedAt }: Turn,
    addresses: MacAddress[],
  ): Promise<string[]> {
    const job = { place, person, addresses, firstAt: arrivedAt, attempt: 1 };
    const put = await tryPut(key, job, askAgainAfterMs(0));
    if (put === undefined) return [];
    return [put === 'full' ? WORDS.tooBusy : WORDS.keepTrying];
  }

  async function tryPut(key: string, job: LookupJob, afterMs: number) {
    try {
      return await jobs.put(key, job, afterMs);
    } catch (error) {
      onError(error); // Without a database nothing can be promised, and nothing is.
      return undefined;
    }
  }

  /** What is under way goes on after its turn and settles the job, which is there in case this process dies. */
  function goOn(
    { key, place }: Turn,
    answering: Promise<Message>,
    messageId: string | undefined,
    told: Promise<void>,
  ): void {
    const end = answering
      .then(async (message) => {
        await Promise.allSettled([told]); // What stands in the turn's own hands comes first, and fails there.
        await finish(place, messageId, message);
        await jobs.settle(key);
      })
      .catch(onError);
    held.hold(key, end);
  }

  /** Waits for the NAC, posts, keeps what is still down as a job of its own; gives the answer. */
  async function conclude(turn: Turn, asking: Asking): Promise<Message> {
    const { key, place, text } = turn;
    const answers = await asking.all;
    const left = answers.filter(isPassing).map(({ address }) => address);
    const kept = left.length > 0 ? await keep(`${key} later`, turn, left) : [];
    return report(key, answers, place, [...kept, ...guessesBeside(asking.addresses, text)]);
  }

  async function finish(place: Place, messageId: string | undefined, message: Message): Promise<void> {
    const isReplaced = messageId !== undefined && (await replaceLater(place, messageId, message));
    if (!isReplaced) await sayLater(place, message);
  }

  async function answer(turn: Turn): Promise<void> {
    const { text, addresses, person, format } = turn;
    if (addresses.length === 0) return turn.say(noAddress(text));
    if (addresses.length > MAX_ADDRESSES) return turn.say(tooMany(addresses.length, format));

    const waitMs = limits.take(person, addresses.length);
    if (waitMs > 0) return turn.say(tooOften(waitMs, format));
    try {
      await answerAll(turn);
    } catch (error) {
      limits.giveBack(person, addresses.length); // It was not answered, and the channel asks again.
      throw error;
    }
  }

  async function answerAll(turn: Turn): Promise<void> {
    const { addresses, person, place, key, arrivedAt } = turn;
    const asking = ask(addresses, person, lookUp);
    const answering = conclude(turn, asking);
    answering.catch(() => {}); // Whoever waits for it sees its failure; until then nobody may.
    const messageId = addresses.length > 1 ? await showProgress(turn, asking, answering) : undefined;
    if (!(await endsWithin(answering, arrivedAt + turnMs - now()))) {
      const job = {
        place,
        person,
        addresses: [...addresses],
        firstAt: arrivedAt,
        attempt: 0,
        ...(messageId && { messageId }),
      };
      const put = await tryPut(key, job, HOLD_MS);
      if (put === 'put') {
        const told = tellStillBusy(turn, asking, messageId);
        goOn(turn, answering, messageId, told);
        return told;
      }
      if (put === 'known') return; // The job's own answer will come.
    }
    await sayOrReplace(turn, messageId, await answering);
  }

  /** Where it takes a while, tells how far it is; gives the message's id, which the answer is to replace. */
  async function showProgress(
    { arrivedAt, place, sayOnce }: Turn,
    asking: Asking,
    answering: Promise<Message>,
  ): Promise<string | undefined> {
    if (await endsWithin(answering, arrivedAt + PROGRESS_MS - now())) return undefined;
    return sayOnce(progressMessage(asking, readerAt(place), { isOnTheWay: true }));
  }

  function tellStillBusy(turn: Turn, asking: Asking, messageId: string | undefined): Promise<void> {
    const isAsking = asking.answered().length < asking.addresses.length;
    const words = isAsking ? WORDS.stillAsking : WORDS.stillPosting;
    if (messageId === undefined) return turn.say(words);
    const progress = { isOnTheWay: true, notes: [words] };
    return sayOrReplace(turn, messageId, progressMessage(asking, readerAt(turn.place), progress));
  }

  return {
    dialog: {
      name: 'lookup',
      aliases: ['look up', 'find', 'whois', 'who is', 'mac', 'session'],
      summary: 'asks the NAC for the session of a device',
      examples: ['lookup AA:BB:CC:DD:EE:FF', 'lookup aabb.ccdd.eeff, 00-11-22-33-44-55', 'AABBCCDDEEFF'],
      details: [
        `Takes up to ${MAX_ADDRESSES} MAC addresses in any spelling, anywhere in the message.`,
        'Tells you what the NAC knows, and posts the tokens it finds to the room.',
      ],
      answer,
    },

    async resume(job, key) {
      const here = held.find(key);
      if (here !== undefined) {
        await here;
        return { kind: 'done' };
      }
      const { place, person, attempt, messageId, ...rest } = job;
      const answers = await ask(job.addresses.flatMap(findMacAddresses), person, lookUp).all;
      const left = answers.filter(isPassing);
      const isOver = now() - job.firstAt >= ASK_FOR_MS;
      const settled = isOver ? answers : answers.filter((each) => !isPassing(each));
      if (settled.length > 0) {
        const notes = isOver && left.length > 0 ? [WORDS.gaveUp] : [];
        await finish(place, messageId, await report(key, settled, place, notes));
      }
      if (isOver || left.length === 0) return { kind: 'done' };
      const addresses = left.map(({ address }) => address);
      const isShown = messageId !== undefined && settled.length === 0;
      const data = { ...rest, place, person, addresses, attempt: attempt + 1, ...(isShown && { messageId }) };
      return { kind: 'again', data, afterMs: askAgainAfterMs(attempt) };
    },
  };
}

async function sayOrReplace(turn: Turn, messageId: string | undefined, message: Message): Promise<void> {
  const isReplaced = messageId !== undefined && (await turn.replace(messageId, message));
  if (!isReplaced) await turn.say(message);
}
