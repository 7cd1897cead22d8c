import { z } from 'zod';
import { readDeviceAddress } from '../../src/domain/device-address.ts';
import type { DeadJob } from '../../src/domain/jobs.ts';
import { findMacAddresses } from '../../src/domain/mac-address.ts';
import type { BaseParts } from '../dialog.ts';
import { type DeviceAnswer, numberText } from '../render/device.ts';
import { placeSchema } from '../render/message.ts';
import { joinLines, type Line, line, toMarkdown, toRoom } from '../render/words.ts';
import { auditAnswers } from './device-lookups.ts';
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
  person: z.string().optional().catch(undefined),
  by: z.literal('press').optional().catch(undefined),
  arrivedAt: z.number().optional().catch(undefined),
});

/** Reports a dead job to its asker, the alert's thread, or the room. */
export async function reportDeadJob(
  queue: DeadQueue,
  { key = 'a job', data, reason }: DeadJob,
  bot: BaseParts,
): Promise<void> {
  const { room, threads, chat, log, audit, clock } = bot;
  log.error({ queue, reason }, 'a job was given up');
  const job = readable.safeParse(data).data;
  const isPost = queue === 'post';
  const { place, thread, text: posted = '' } = job ?? {};
  const addresses = isPost ? findMacAddresses(posted) : (job?.addresses ?? []);
  const answers = addresses.flatMap(readDeviceAddress).map((asked): DeviceAnswer => {
    return { asked, address: asked, outcome: { kind: 'given up' } };
  });
  const devices = answers.map(({ asked }) => asked).join(', ');
  const there = queue === 'lookup' || isPost ? place : thread && (await threads.find(thread))?.place;
  const number = reportNumber(key);
  const opening = DEAD[queue](devices === '' ? ['a device'] : line`${devices}`, reason);
  const words = joinLines([opening, ...numberText(number, answers, undefined).map((each) => [each])], ' ');
  const text = toMarkdown(words);
  if (there) await chat.reply(there, queue === 'lookup' ? { text, mentionsAsker: true } : { text });
  else if (!isPost) await room.post(givenUpKey(key), toRoom(words), { isRemembered: true });
  if (isPost) return; // Its lookup has its audit line.
  const times = { arrivedAt: job?.arrivedAt, answeredAt: clock.now() };
  const by = queue === 'alert' ? ('alert' as const) : (job?.by ?? ('message' as const));
  const lookup = { number, by, person: job?.person, place: there || undefined, alert: thread, ...times };
  auditAnswers(audit, lookup, answers);
}
