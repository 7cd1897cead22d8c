import type { Lookup } from '../../src/nac/lookup.ts';
import { endsWithin } from '../../src/time/within.ts';
import { progressMessage } from '../answers/answer.ts';
import { type Asking, ask, isPassing } from '../answers/device-answer.ts';
import {
  doubtfulBeside,
  guessesBeside,
  ipAddressesBeside,
  noAddress,
  partsBeside,
} from '../answers/no-address.ts';
import { offerRest, tooOften } from '../answers/over-limit.ts';
import { type Dialog, type Limits, MAX_ADDRESSES, type Turn } from '../dialog.ts';
import type { Message } from '../format/message.ts';
import type { KeptLookups } from '../jobs/kept-lookups.ts';
import type { Report } from '../jobs/report.ts';

export type LookupOptions = {
  lookUp: Lookup;
  kept: Pick<KeptLookups, 'keepForLater' | 'handOver' | 'goOn'>;
  report: Pick<Report, 'make'>;
  limits: Pick<Limits, 'take' | 'waitFor'>;
  /** When a running lookup becomes a job and its turn ends (milliseconds after the message's arrival). */
  turnMs: number;
  now: () => number;
};

/** When the asker of several devices sees the progress (milliseconds after the message's arrival). */
const PROGRESS_MS = 2000;

const WORDS = {
  stillAsking: 'Still asking the NAC; the answer will come here.',
  stillPosting: 'The NAC has answered; I am still posting to the room. The answer will come here.',
};

/** Looks up every address of a message, posts the tokens to the room, and answers the asker. */
export function createLookup(options: LookupOptions): Dialog {
  const { limits } = options;
  return {
    name: 'lookup',
    aliases: ['look up', 'find', 'whois', 'who is', 'mac', 'session'],
    summary: 'asks the NAC for the session of a device',
    examples: [
      'lookup AA:BB:CC:DD:EE:FF',
      'lookup aabb.ccdd.eeff, 00-1B-54-00-00-07',
      'AABBCCDDEEFF',
      'lookup 198.51.100.23',
    ],
    takesIpAddresses: true,
    details: [
      `Takes up to ${MAX_ADDRESSES} MAC addresses in any spelling, anywhere in the message.`,
      'Takes IP addresses too (IPv4 or IPv6), after the command.',
      'Shows what the NAC knows, and posts the tokens to the room.',
    ],
    async answer(turn) {
      const { text, addresses, person, format } = turn;
      if (addresses.length === 0) return turn.say(noAddress(text));
      const first = addresses.slice(0, MAX_ADDRESSES);
      const waitMs = limits.take(person, first.length);
      if (waitMs > 0) return turn.say(tooOften(waitMs, format));
      const left = Math.min(addresses.length - first.length, MAX_ADDRESSES);
      if (left > 0) await turn.say(offerRest(addresses, limits.waitFor(person, left), format));
      await answerAll({ ...turn, addresses: first }, options);
    },
  };
}

async function answerAll(turn: Turn, options: LookupOptions): Promise<void> {
  const { lookUp, kept, turnMs, now } = options;
  const { addresses, person, arrivedAt } = turn;
  const asking = ask(addresses, person, lookUp);
  const answering = conclude(turn, asking, options);
  answering.catch(() => {}); // Prevents an unhandled rejection until the answer is awaited.
  const messageId = addresses.length > 1 ? await showProgress(turn, asking, answering, now) : undefined;
  if (!(await endsWithin(answering, arrivedAt + turnMs - now()))) {
    const put = await kept.handOver(turn, messageId);
    if (put === 'put') {
      const told = tellStillBusy(turn, asking, messageId, now);
      kept.goOn(turn, answering, messageId, told);
      return told;
    }
    if (put === 'known') return; // The job's own answer will come.
  }
  await sayOrReplace(turn, messageId, await answering);
}

/** Waits for the NAC, keeps unanswered devices as a separate job, posts, and returns the answer. */
async function conclude(turn: Turn, asking: Asking, { kept, report }: LookupOptions): Promise<Message> {
  const answers = await asking.all;
  const left = answers.filter(isPassing).map(({ asked }) => asked);
  const notes = left.length > 0 ? await kept.keepForLater(turn, left) : [];
  return report.make(turn.key, answers, turn, [
    ...notes,
    ...guessesBeside(asking.addresses, turn.text),
    ...(turn.isAsked ? [...doubtfulBeside(asking.addresses, turn.text), ...partsBeside(turn.text)] : []),
    ...(turn.isCommand ? ipAddressesBeside(turn.text) : []),
  ]);
}

/** Shows the progress if the answer takes a while. Returns that message's id; the answer replaces the message. */
async function showProgress(
  { arrivedAt, format, sayOnce }: Turn,
  asking: Asking,
  answering: Promise<Message>,
  now: () => number,
): Promise<string | undefined> {
  if (await endsWithin(answering, arrivedAt + PROGRESS_MS - now())) return undefined;
  return sayOnce(progressMessage(asking, { format, now: now() }, { isOnTheWay: true }));
}

function tellStillBusy(
  turn: Turn,
  asking: Asking,
  messageId: string | undefined,
  now: () => number,
): Promise<void> {
  const isAsking = asking.answered().length < asking.addresses.length;
  const words = isAsking ? WORDS.stillAsking : WORDS.stillPosting;
  if (messageId === undefined) return turn.say(words);
  const reader = { format: turn.format, now: now() };
  const progress = progressMessage(asking, reader, { isOnTheWay: true, notes: [words] });
  return sayOrReplace(turn, messageId, progress);
}

async function sayOrReplace(turn: Turn, messageId: string | undefined, message: Message): Promise<void> {
  const isReplaced = messageId !== undefined && (await turn.replace(messageId, message));
  if (!isReplaced) await turn.say(message);
}
