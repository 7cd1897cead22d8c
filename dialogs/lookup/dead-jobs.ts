import { z } from 'zod';
import type { DeadJob } from '../../src/domain/jobs.ts';
import { findMacAddresses } from '../../src/domain/mac-address.ts';
import type { BaseParts } from '../dialog.ts';
import { reportText } from '../render/device.ts';
import { askerOf, placeSchema } from '../render/message.ts';
import { type Line, line, toMarkdown, toRoom } from '../render/words.ts';
import { givenUpKey, reportNumber } from './job-keys.ts';

export type DeadQueue = 'lookup' | 'post' | 'reply' | 'alert';

const DEAD: Record<DeadQueue, (devices: Line, reason: string) => Line> = {
  lookup: (devices, reason) =>
    line`I gave up the lookup of ${devices}, because ${[reason]}. Please ask again.`,
  alert: (devices, reason) =>
    line`I gave up an alert with ${devices}, because ${[reason]}. Please look the devices up yourself.`,
  reply: (_, reason) => [`I could not deliver an answer to its asker, and gave it up: ${reason}.`],
  post: (devices, reason) =>
    line`The room never took the post about ${devices}, and I gave it up: ${[reason]}. Please tell the team yourself.`,
};

const readable = z.object({
  place: placeSchema.optional().catch(undefined),
  thread: z.string().optional().catch(undefined),
  addresses: z.array(z.string()).catch([]),
  text: z.string().catch(''),
});

/** Reports a dead job to its asker, the alert's thread, or the room. */
export async function reportDeadJob(queue: DeadQueue, job: DeadJob, bot: BaseParts): Promise<void> {
  const { room, threads, chat, log } = bot;
  const { key = 'a job', data, reason } = job;
  const number = reportNumber(key);
  log.error({ queue, reason, number }, 'a job was given up');
  const { place, thread, addresses = [], text: posted = '' } = readable.safeParse(data).data ?? {};
  const isPost = queue === 'post';
  const devices = (isPost ? findMacAddresses(posted) : addresses).join(', ');
  const opening = DEAD[queue](devices === '' ? ['a device'] : line`${devices}`, reason);
  const words = devices === '' ? opening : [...opening, ` ${reportText(number)}`];
  const there = queue === 'lookup' || isPost ? place : thread && (await threads.find(thread))?.place;
  const text = toMarkdown(words);
  if (there) await chat.reply(there, queue === 'lookup' ? { text, mentions: [askerOf(there)] } : { text });
  else if (!isPost) await room.post(givenUpKey(key), toRoom(words), { isRemembered: true });
}
