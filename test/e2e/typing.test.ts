import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openReadyStage, type Stage } from '../stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openReadyStage();
});
afterAll(() => stage.close());

describe('the typing indicator', { timeout: 60_000 }, () => {
  it('is shown during a slow lookup, renewed during a long one, and never otherwise', async () => {
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts).toHaveLength(1);
    expect((await stage.say('help')).texts).toHaveLength(1);

    const askedSlow = Date.now();
    const slow = await stage.say('lookup 00:1B:54:00:00:05');
    expect(slow.texts).toEqual([expect.stringContaining('connected.')]);
    expect(stage.typing).toHaveLength(1);
    const [first = 0] = stage.typing;
    expect(first - askedSlow).toBeGreaterThan(450);
    expect(first - askedSlow).toBeLessThan(slow.ms);

    const askedLong = Date.now();
    const long = await stage.say('lookup 00:1B:54:00:00:07', { id: 'long' });
    expect(long.texts).toEqual([expect.stringContaining('Still asking')]);
    await vi.waitFor(() => expect(stage.replies.at(-1)?.activity.summary).toContain('megan'), 10_000);
    const signs = stage.typing.slice(1).map((at) => at - askedLong);
    expect(signs).toHaveLength(2); // A third would be due between the turn's end and the answer.
    expect(signs[1]).toBeGreaterThan((signs[0] ?? 0) + 3500);
    expect(signs[1]).toBeLessThan(long.ms);
  });
});
