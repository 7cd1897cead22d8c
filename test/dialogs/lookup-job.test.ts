import { describe, expect, it } from 'vitest';
import { createLookup, type LookupJob } from '../../dialogs/lookup.ts';
import type { LookupOutcome } from '../../src/nac/lookup.ts';
import { talk } from './talk.ts';

const NOW = Date.UTC(2026, 0, 1);
const JOB: LookupJob = {
  place: { reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'chat' } } },
  person: 'alex',
  addresses: ['AA:BB:CC:DD:EE:FF', '00:1B:54:00:00:01'],
  firstAt: NOW - 60_000,
  attempt: 3,
};
const DOWN: LookupOutcome = { kind: 'unreachable' };
const NONE: LookupOutcome = { kind: 'no session' };

describe('a lookup that was kept', () => {
  it('is tried again, later each time, while the NAC is down, and nothing is said', async () => {
    const { resume, said } = stage({});
    const outcome = await resume(JOB, 'key');
    expect(outcome).toMatchObject({
      kind: 'again',
      data: { attempt: 4, addresses: JOB.addresses, firstAt: JOB.firstAt },
    });
    expect(outcome.kind === 'again' && outcome.afterMs).toBeGreaterThanOrEqual(8000);
    expect(said).toEqual([]);
  });

  it('is answered for the devices that the NAC knows of by now, and tried again for the rest', async () => {
    const { resume, said } = stage({ 'AA:BB:CC:DD:EE:FF': NONE });
    expect(await resume(JOB, 'key')).toMatchObject({
      kind: 'again',
      data: { addresses: ['00:1B:54:00:00:01'] },
    });
    expect(said).toEqual([
      '`AA:BB:CC:DD:EE:FF`: no session. The NAC knows of no current session of this device.',
    ]);
  });

  it('is given up after ten minutes, and says so', async () => {
    const { resume, said } = stage({});
    expect(await resume({ ...JOB, firstAt: NOW - 600_000 }, 'key')).toEqual({ kind: 'done' });
    expect(said).toEqual([
      '`AA:BB:CC:DD:EE:FF`: the NAC could not be reached.\n\n`00:1B:54:00:00:01`: the NAC could not be reached.\n\nI have tried for 10 minutes and give up now.',
    ]);
  });
});

describe('a lookup while the NAC is down', () => {
  it.each([
    ['put', '\n\nI keep trying for 10 minutes; the answer will come here.'],
    ['full', '\n\nToo many lookups wait already, so I do not try again by myself. Please ask again later.'],
    ['failing', ''],
  ])('promises only what is kept: %s', async (put, promise) => {
    const { dialog } = stage({}, async () => {
      if (put === 'failing') throw new Error('no database');
      return put === 'full' ? 'full' : 'put';
    });
    expect(await talk([dialog], 'lookup AA:BB:CC:DD:EE:FF')).toEqual([
      { kind: 'said', text: `\`AA:BB:CC:DD:EE:FF\`: the NAC could not be reached.${promise}` },
    ]);
  });
});

function stage(outcomes: Record<string, LookupOutcome>, put?: () => Promise<'put' | 'full'>) {
  const said: string[] = [];
  const never = () => Promise.reject(new Error('not asked here'));
  return {
    said,
    ...createLookup({
      lookUp: async (address) => outcomes[address] ?? DOWN,
      deliver: never,
      jobs: { put: put ?? never, defer: never, settle: never },
      recent: { note: () => {} },
      sayLater: async (_place, { text }) => void said.push(text),
      replaceLater: async () => false,
      progressMs: 2000,
      turnMs: 8000,
      now: put ? Date.now : () => NOW,
      onError: () => {},
    }),
  };
}
