import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FULL, inTurns, numbers, print, settled, tally } from './figures.ts';
import { openStage } from './stage.ts';

const SIZE = FULL ? 1200 : 120;
const DOWN_MS = FULL ? 60_000 : 6000;
/** Longer than the outage, so that some lookups come before and some after it. */
const PACE_MS = (DOWN_MS * 1.5) / SIZE;

it('a webhook that is down under load gets every post when it is back', { timeout: 300_000 }, async () => {
  const { channel, upstreams, close } = await openStage('the embedded database', () => 20);
  try {
    const devices = numbers(SIZE);
    const begun = Date.now();
    const sending = inTurns(devices, 16, async (device) => {
      await delay(Math.max(0, begun + device * PACE_MS - Date.now()));
      await channel.send(device);
    });
    await delay(DOWN_MS / 4);
    upstreams.isDown = true;
    await delay(DOWN_MS);
    upstreams.isDown = false;
    const backAt = Date.now();
    await sending;
    const missingAtFirst = tally(devices, channel, upstreams)['posts missing'];
    const figures = await settled(devices, channel, upstreams, 150_000);
    print(`Webhook down for ${DOWN_MS / 1000} s`, {
      ...figures,
      'posts refused': upstreams.refused,
      'waiting when the load ended': missingAtFirst,
      'seconds from its return to the last post': Math.round((Date.now() - backAt) / 1000),
    });
    expect(upstreams.refused).toBeGreaterThan(0);
    expect(figures['answered twice']).toBe(0);
  } finally {
    await close();
  }
});
