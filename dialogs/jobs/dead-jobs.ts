import { z } from 'zod';
import { readDeviceAddress } from '../../src/device-address.ts';
import type { Threads } from '../../src/store/threads.ts';
import type { DeadJob } from '../../src/store/workers.ts';
import type { Deliver } from '../../src/webhook/delivery.ts';
import { code } from '../format/markdown.ts';
import { type Message, type Place, placeSchema } from '../format/message.ts';

export type DeadJobsOptions = {
  deliver: Deliver;
  threads: Pick<Threads<Place>, 'find'>;
  sayLater(place: Place, message: Message): Promise<unknown>;
  /** Told of every job that was given up. */
  warn(queue: DeadQueue, reason: string): void;
};

export type DeadQueue = 'lookup' | 'post' | 'reply' | 'alert';

const WORDS = {
  lookup: (addresses: string, reason: string) =>
    `I gave up the lookup of ${addresses}, because ${reason}. Please ask again.`,
  alert: (addresses: string, reason: string) =>
    `I gave up an alert with ${addresses}, because ${reason}. Please look the devices up yourself.`,
  reply: (reason: string) => `I could not deliver an answer to its asker, and gave it up: ${reason}.`,
  noAddress: 'a device',
};

/** What a job may say of itself, whoever wrote it. */
const readable = z.object({
  place: placeSchema.optional().catch(undefined),
  thread: z.string().optional().catch(undefined),
  addresses: z.array(z.string()).catch([]),
});

/**
 * Tells who waits for a job that was given up: its asker, the alert's thread, or else the room. A dead post is told to the log
 * alone: its asker was told when it failed, and the room takes no posts.
 */
export function createDeadJobs({ deliver, threads, sayLater, warn }: DeadJobsOptions) {
  return (queue: DeadQueue) =>
    async ({ key, data, reason }: DeadJob): Promise<void> => {
      warn(queue, reason);
      if (queue === 'post') return;
      const { place, thread, addresses = [] } = readable.safeParse(data).data ?? {};
      const devices = addresses.flatMap(readDeviceAddress).join(', ') || WORDS.noAddress;
      const there = queue === 'lookup' ? place : thread && (await threads.find(thread));
      const words = queue === 'reply' ? WORDS.reply(reason) : WORDS[queue](devices, reason);
      const text = words.replace(devices, code(devices));
      if (there) await sayLater(there, queue === 'lookup' ? { text, mentionsAsker: true } : { text });
      else await deliver(`${key ?? 'a job'} given up`, words);
    };
}
