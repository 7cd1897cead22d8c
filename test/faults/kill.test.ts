import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { activityId } from './channel.ts';
import { FULL, numbers, print, settled } from './figures.ts';
import { type Engine, openStage, slowMs } from './stage.ts';

const ENGINES: readonly Engine[] = FULL
  ? ['the embedded database', 'a Postgres server']
  : ['the embedded database'];
const SIZE = FULL ? 200 : 40;
const SPREAD_MS = 4000;

describe.each(ENGINES)(
  'a bot on %s that is killed with lookups in flight',
  { timeout: 240_000 },
  (engine) => {
    it('answers each of them after its restart', async () => {
      const { channel, upstreams, kill, start, close } = await openStage(engine, slowMs);
      try {
        const devices = numbers(SIZE);
        const sending = devices.map(async (device) => {
          await delay((device / SIZE) * SPREAD_MS);
          await channel.send(device);
        });
        await vi.waitFor(() => expect(channel.acknowledged.size).toBeGreaterThan(SIZE / 2), {
          timeout: 20_000,
          interval: 20,
        });
        await kill();
        const jobs = devices.filter((device) => channel.acknowledged.has(activityId(device))).length;
        const answeredBefore = channel.answers.size;
        const killedAt = Date.now();
        await start();
        const figures = await settled(devices, channel, upstreams, 150_000);
        await Promise.all(sending);
        print(`Killed on ${engine}`, {
          ...figures,
          'acknowledged before the kill': jobs,
          'answered before the kill': answeredBefore,
          'seconds to the last answer': Math.round((Date.now() - killedAt) / 1000),
        });
        expect(jobs).toBeGreaterThan(0);
        expect(jobs).toBeLessThan(SIZE);
      } finally {
        await close();
      }
    });
  },
);
