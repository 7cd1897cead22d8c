import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { activityId } from './channel.ts';
import { FULL, inTurns, numbers, print, settled } from './figures.ts';
import { openStage, slowMs } from './stage.ts';

const QUICK = FULL ? 2000 : 200;
const SLOW = FULL ? 100 : 20;
const FIRST_SLOW = 1_000_000;
const AWAY_MS = FULL ? 20_000 : 5000;

it('Postgres that restarts under load loses nothing that was acknowledged', {
  timeout: 240_000,
}, async () => {
  const stage = await openStage('a Postgres server', (address) =>
    address.startsWith('00:1B:00:0F:') ? slowMs(address) : 20,
  );
  const { channel, upstreams, postgres, readyIs, close } = stage;
  try {
    const quick = numbers(QUICK);
    const slow = numbers(SLOW, FIRST_SLOW);
    const begun = Date.now();
    const awayFrom = begun + 9000;
    const end = awayFrom + AWAY_MS + 3000;
    // Slow ones are handed over before, while and after the server is away.
    const sendingSlow = slow.map(async (device, index) => {
      await delay((index / SLOW) * (end - begun - 8000));
      await channel.send(device);
    });
    const sendingQuick = inTurns(quick, 16, async (device) => {
      await delay(Math.max(0, begun + (device / QUICK) * (end - begun) - Date.now()));
      await channel.send(device);
    });
    await delay(awayFrom - Date.now());
    await postgres?.stop();
    const stoppedAt = Date.now();
    await readyIs(503, 5000);
    const before = quick.filter((device) => channel.answers.has(activityId(device))).length;
    await delay(Math.max(0, stoppedAt + AWAY_MS - Date.now()));
    const meanwhile = quick.filter((device) => channel.answers.has(activityId(device))).length - before;
    await postgres?.start();
    await readyIs(200, 15_000);
    await sendingQuick;
    await Promise.all(sendingSlow);
    const figures = await settled([...quick, ...slow], channel, upstreams, 90_000);
    const slowest = Math.max(...quick.map((device) => channel.acknowledged.get(activityId(device)) ?? 0));
    print(`Postgres away for ${AWAY_MS / 1000} s`, {
      ...figures,
      'quick ones answered meanwhile': meanwhile,
      'slowest quick one in ms': slowest,
    });
    expect(meanwhile).toBeGreaterThan(QUICK / 10);
    expect(slowest).toBeLessThan(5000);
  } finally {
    await close();
  }
});
