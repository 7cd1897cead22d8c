import { z } from 'zod';
import { faultOf, findMacAddresses, type MacFault } from '../src/mac-address.ts';
import type { Lookup } from '../src/nac/lookup.ts';
import type { JobOutcome, Queue } from '../src/store/queues.ts';
import type { Deliver } from '../src/webhook/delivery.ts';
import { ASK_FOR_MS, askAgainAfterMs } from './ask-again.ts';
import { type Dialog, type Place, placeSchema, type Turn } from './dialog.ts';
import { answerAll, type DeviceAnswer, isPassing, roomText, sayAnswers } from './lookup-answer.ts';
import { code, paragraphs } from './markdown.ts';
import { formatTime } from './time.ts';

/** A lookup that waits in the database. Times are milliseconds since 1970. */
export const lookupJobSchema = z.object({
  place: placeSchema,
  person: z.string(),
  addresses: z.array(z.string()),
  firstAt: z.number(),
  attempt: z.number(),
});
export type LookupJob = z.infer<typeof lookupJobSchema>;

export type LookupOptions = {
  lookUp: Lookup;
  deliver: Deliver;
  jobs: Pick<Queue<LookupJob>, 'put' | 'defer' | 'settle'>;
  sayLater(place: Place, markdown: string): Promise<void>;
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

/** The most addresses in one message. */
export const MAX_ADDRESSES = 20;

/** A job whose lookup is under way here is put off, so that it comes up only when this process is gone. */
const HOLD_MS = 15_000;
const HOLD_AGAIN_MS = 5000;

const EXAMPLE = `For example: ${code('lookup AA:BB:CC:DD:EE:FF')}`;
const WORDS = {
  missing: 'Which device? Give me its MAC address, in any spelling.',
  tooMany: (count: number) =>
    `That message holds ${count} MAC addresses; I take at most ${MAX_ADDRESSES} at once. Please send them in smaller groups.`,
  badCharacter: (character: string) =>
    `That is no MAC address: ${code(character)} is not one of 0-9 and A-F.`,
  wrongLength: (digits: number) =>
    `That is no MAC address: it has ${digits} hexadecimal ${digits === 1 ? 'digit' : 'digits'}, and a MAC address has 12.`,
  wrongGroups:
    'That is no MAC address that I can read: its 12 digits are not grouped as in any spelling I know.',
  stillAsking: 'Still asking the NAC; the answer will come here.',
  keepTrying: 'I keep trying for 10 minutes; the answer will come here.',
  tooBusy: 'Too many lookups wait already, so I do not try again by myself. Please ask again later.',
  gaveUp: 'I have tried for 10 minutes and give up now.',
};

/** Looks up every MAC address of a message, posts what was found to the room, and answers the asker. */
export function createLookup(options: LookupOptions): LookupDialog {
  const { lookUp, deliver, jobs, sayLater, turnMs, now, onError } = options;
  const held = new Map<string, Promise<void>>();

  /** Posts what there is to post, and gives what the asker is told. */
  async function report(key: string, answers: readonly DeviceAnswer[], place: Place): Promise<string> {
    const news = roomText(answers);
    const delivery = news === undefined ? undefined : await deliver(key, news);
    return sayAnswers(answers, delivery, (ms) => formatTime(ms, place));
  }

  /** Keeps what a NAC that is down did not answer; gives what the asker is told of that, if there is anything. */
  async function keep(turn: Turn, answers: readonly DeviceAnswer[]): Promise<string[]> {
    const addresses = answers.filter(isPassing).map(({ address }) => address);
    if (addresses.length === 0) return [];
    const job = { place: turn.place, person: turn.person, addresses, firstAt: turn.arrivedAt, attempt: 1 };
    const put = await tryPut(turn.key, job, askAgainAfterMs(0));
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

  /** The call in flight goes on after its turn and settles the job, which is there in case this process dies. */
  function goOn(turn: Turn, asking: Promise<DeviceAnswer[]>): void {
    const { key, place } = turn;
    const holding = setInterval(() => jobs.defer(key, HOLD_MS).catch(onError), HOLD_AGAIN_MS);
    const end = asking
      .then(async (answers) => {
        await sayLater(place, await report(key, answers, place));
        await jobs.settle(key);
      })
      .catch(onError)
      .finally(() => {
        clearInterval(holding);
        held.delete(key);
      });
    held.set(key, end);
  }

  async function answer(turn: Turn): Promise<void> {
    const { text, person, place, key, arrivedAt, say } = turn;
    const addresses = findMacAddresses(text);
    if (addresses.length === 0) return say(paragraphs(sayFault(faultOf(text)), EXAMPLE));
    if (addresses.length > MAX_ADDRESSES) return say(WORDS.tooMany(addresses.length));

    const asking = answerAll(addresses, person, lookUp);
    if (!(await endsWithin(asking, arrivedAt + turnMs - now()))) {
      const job = { place, person, addresses, firstAt: arrivedAt, attempt: 0 };
      const put = await tryPut(key, job, HOLD_MS);
      if (put === 'put') {
        goOn(turn, asking);
        return say(WORDS.stillAsking);
      }
      if (put === 'known') return; // The job's own answer will come.
    }
    const answers = await asking;
    await say(paragraphs(await report(key, answers, place), ...(await keep(turn, answers))));
  }

  return {
    dialog: {
      name: 'lookup',
      summary: 'asks the NAC for the session of a device',
      examples: ['lookup AA:BB:CC:DD:EE:FF', 'lookup aabb.ccdd.eeff, 00-11-22-33-44-55', 'AABBCCDDEEFF'],
      details: [
        `Takes up to ${MAX_ADDRESSES} MAC addresses in any spelling, anywhere in the message.`,
        'Tells you what the NAC knows, and posts the tokens it finds to the room.',
      ],
      answer,
    },

    async resume(job, key) {
      const here = held.get(key);
      if (here !== undefined) {
        await here;
        return { kind: 'done' };
      }
      const { place, person, attempt } = job;
      const answers = await answerAll(job.addresses.flatMap(findMacAddresses), person, lookUp);
      const left = answers.filter(isPassing);
      const isOver = now() - job.firstAt >= ASK_FOR_MS;
      const settled = isOver ? answers : answers.filter((each) => !isPassing(each));
      if (settled.length > 0) {
        const news = await report(key, settled, place);
        await sayLater(place, isOver && left.length > 0 ? paragraphs(news, WORDS.gaveUp) : news);
      }
      if (isOver || left.length === 0) return { kind: 'done' };
      const data = { ...job, addresses: left.map(({ address }) => address), attempt: attempt + 1 };
      return { kind: 'again', data, afterMs: askAgainAfterMs(attempt) };
    },
  };
}

async function endsWithin(task: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  try {
    return await Promise.race([task.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function sayFault(fault: MacFault): string {
  switch (fault.kind) {
    case 'missing':
      return WORDS.missing;
    case 'bad character':
      return WORDS.badCharacter(fault.character);
    case 'wrong length':
      return WORDS.wrongLength(fault.digits);
    case 'wrong groups':
      return WORDS.wrongGroups;
  }
}
