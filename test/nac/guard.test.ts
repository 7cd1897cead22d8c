import { describe, expect, it } from 'vitest';
import type { MacAddress } from '../../src/mac-address.ts';
import { guardLookups } from '../../src/nac/guard.ts';
import type { SessionOutcome } from '../../src/nac/session-outcome.ts';

const [ONE, OTHER] = ['AA:BB:CC:DD:EE:FF', '00:11:22:33:44:55'] as MacAddress[] as [MacAddress, MacAddress];

describe('guardLookups', () => {
  it('shares one call between equal lookups in flight, and asks anew afterwards', async () => {
    const nac = heldNac();
    const lookUp = guardLookups(nac.call, { concurrency: 4 });
    const both = [lookUp(ONE, 'alex'), lookUp(ONE, 'patti'), lookUp(OTHER, 'alex')];
    nac.release();
    expect(await Promise.all(both)).toEqual([
      { kind: 'no session' },
      { kind: 'no session' },
      { kind: 'no session' },
    ]);
    expect(nac.asked).toEqual([ONE, OTHER]);
    nac.release();
    await lookUp(ONE, 'alex');
    expect(nac.asked).toEqual([ONE, OTHER, ONE]);
  });

  it('asks anew after a call that failed', async () => {
    let calls = 0;
    const lookUp = guardLookups(
      () => (++calls === 1 ? Promise.reject(new Error('bug')) : Promise.resolve({ kind: 'refused' })),
      {
        concurrency: 1,
      },
    );
    await expect(lookUp(ONE, 'alex')).rejects.toThrow('bug');
    expect(await lookUp(ONE, 'alex')).toEqual({ kind: 'refused' });
  });
});

/** A NAC that answers when it is told to. */
function heldNac() {
  const asked: MacAddress[] = [];
  let release = () => {};
  let held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    asked,
    async call(address: MacAddress): Promise<SessionOutcome> {
      asked.push(address);
      await held;
      return { kind: 'no session' };
    },
    release() {
      release();
      held = Promise.resolve();
    },
  };
}
