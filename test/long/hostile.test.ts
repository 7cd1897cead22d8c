import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { type HostileStage, openHostileStage } from './hostile-stage.ts';
import { wireAttacks } from './wire-attacks.ts';

let stage: HostileStage;
beforeAll(async () => {
  stage = await openHostileStage();
});
afterAll(() => stage.close());

describe('open to the whole internet', { timeout: 300_000 }, () => {
  it('an allowed person is answered', async () => {
    expect(await stage.send('lookup AA:BB:CC:DD:EE:FF')).toMatchObject({ status: 200 });
    const [reply] = stage.replies.slice(-1);
    expect(reply && textOf(reply)).toContain('Corp_Wired_Access');
    expect(stage.calls()).toEqual({ nac: 1, room: 1 });
  });

  it.each(Object.entries(wireAttacks))('%s: no fault, no call, and the bot still answers', async (_, run) => {
    const before = stage.calls();
    expect(await run(stage)).toEqual([]);
    expect(stage.calls()).toEqual(before);
    expect(await stage.isAlive()).toBe(true);
  });

  it('no secret has leaked', () => expect(stage.leaks()).toEqual([]));
});
