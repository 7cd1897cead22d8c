import { expect, vi } from 'vitest';
import { activityId, type Channel, macAddress } from './channel.ts';
import type { Upstreams } from './upstreams.ts';

export const FULL = process.env.FAULTS === 'full';

/** The numbers of a scenario's devices. */
export const numbers = (size: number, from = 1) => Array.from({ length: size }, (_, index) => from + index);

/** What became of the lookups of these devices. */
export function tally(
  devices: readonly number[],
  { answers, acknowledged, repeats }: Channel,
  { posts }: Upstreams,
) {
  const answered = devices.map((device) => answers.get(activityId(device)) ?? 0);
  const posted = devices.map((device) => posts.get(macAddress(device)) ?? 0);
  return {
    lookups: devices.length,
    'not acknowledged': devices.filter((device) => !acknowledged.has(activityId(device))).length,
    'without answer': answered.filter((count) => count === 0).length,
    'posts missing': posted.filter((count) => count === 0).length,
    'answered twice': answered.filter((count) => count > 1).length,
    'posts doubled': posted.filter((count) => count > 1).length,
    'sent again by the channel': repeats,
  };
}

/** Waits until every lookup of these devices was acknowledged, answered and posted; gives their figures. */
export async function settled(
  devices: readonly number[],
  channel: Channel,
  upstreams: Upstreams,
  withinMs: number,
): Promise<ReturnType<typeof tally>> {
  await vi.waitFor(
    () =>
      expect(tally(devices, channel, upstreams)).toMatchObject({
        'not acknowledged': 0,
        'without answer': 0,
        'posts missing': 0,
      }),
    { timeout: withinMs, interval: 100 },
  );
  return tally(devices, channel, upstreams);
}

/** Prints a scenario's figures on one line. */
export function print(scenario: string, figures: Readonly<Record<string, string | number>>): void {
  const list = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  process.stdout.write(`${scenario}: ${list.join(', ')}\n`);
}

/** Runs a task for each item, so many at once. */
export async function inTurns<T>(
  items: readonly T[],
  concurrency: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of left) await task(item);
    }),
  );
}
