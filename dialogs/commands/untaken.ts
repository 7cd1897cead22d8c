import { findMacAddresses } from '../../src/domain/mac-address.ts';
import { type Formatter, type Line, line, shorten } from '../render/words.ts';
import type { Bot } from './command.ts';

const MAX_LISTED = 5;
const NAMES = { post: 'Posts', lookup: 'Lookups', reply: 'Answers', alert: 'Alerts' } as const;
const QUEUES = ['post', 'lookup', 'reply', 'alert'] as const;

/** Tries jobs that were given up, and waiting posts, again now if they can be read; or drops them. Returns how many. */
export async function handleUntaken(verb: 'send' | 'drop', { jobs }: Bot): Promise<number> {
  let count = 0;
  for (const name of QUEUES) {
    const waiting = name === 'post' ? await jobs.post.list('waiting') : [];
    for (const { key, data } of [...(await jobs[name].list('dead')), ...waiting]) {
      if (verb === 'drop') await jobs[name].settle(key);
      else if (data === undefined || !(await jobs[name].revive(key))) continue;
      count++;
    }
  }
  return count;
}

/** The oldest posts that the room has not taken, first those that were given up, each in a line. */
export async function untakenPosts({ jobs }: Bot, formatter: Formatter): Promise<Line[]> {
  const all = [
    ...(await jobs.post.list('dead', MAX_LISTED)),
    ...(await jobs.post.list('waiting', MAX_LISTED)),
  ];
  return all.slice(0, MAX_LISTED).map(({ data, at, reason }) => {
    const devices = findMacAddresses(data?.text ?? '').join(', ');
    const about = devices === '' ? shorten(data?.text.split('\n', 1)[0] ?? '') : devices;
    return line`${[`${formatter.time(at)}: `]}${about} (${reason ?? 'waiting'})`;
  });
}

export type JobCount = { name: string; waiting: number; dead: number };

/** @throws the store's errors */
export const countJobs = ({ jobs }: Bot): Promise<JobCount[]> =>
  Promise.all(QUEUES.map(async (queue) => ({ name: NAMES[queue], ...(await jobs[queue].count()) })));

/** A line a queue. Posts alone have a line when there are none. */
export function countLines(counts: readonly JobCount[], { number }: Formatter): string[] {
  return counts
    .filter(({ name, waiting, dead }) => name === 'Posts' || waiting + dead > 0)
    .map(({ name, waiting, dead }) => `${name}: ${number(waiting)} waiting, ${number(dead)} given up.`);
}
