import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLimits, type Limits } from '../src/limits.ts';

const ALEX = { person: 'alex', conversation: 'chat' };

let limits: Limits;
beforeEach(() => {
  vi.useFakeTimers();
  limits = createLimits({ perPerson: 30, perConversation: 100, overall: 1000 });
});
afterEach(() => void vi.useRealTimers());

describe('the limits', () => {
  it('let a person ask for 30 addresses a minute, and tell how long to wait for more', async () => {
    expect(await limits.take(ALEX, 20)).toBe(0);
    expect(await limits.take(ALEX, 10)).toBe(0);
    vi.advanceTimersByTime(15_000);
    expect(await limits.take(ALEX, 1)).toBe(45_000);
    vi.advanceTimersByTime(45_000);
    expect(await limits.take(ALEX, 1)).toBe(0);
  });

  it('count a person in all conversations, and each person apart', async () => {
    await limits.take(ALEX, 30);
    expect(await limits.take({ ...ALEX, conversation: 'other' }, 1)).toBeGreaterThan(0);
    expect(await limits.take({ ...ALEX, person: 'patti' }, 1)).toBe(0);
  });

  it('hold for a conversation whoever asks in it', async () => {
    for (let person = 0; person < 5; person++) await limits.take({ ...ALEX, person: `p${person}` }, 20);
    expect(await limits.take({ ...ALEX, person: 'last' }, 1)).toBeGreaterThan(0);
    expect(await limits.take({ person: 'last', conversation: 'other' }, 1)).toBe(0);
  });

  it('hold for all together', async () => {
    for (let index = 0; index < 50; index++) {
      await limits.take({ person: `p${index}`, conversation: `c${index}` }, 20);
    }
    expect(await limits.take({ person: 'last', conversation: 'last' }, 1)).toBeGreaterThan(0);
  });

  it('grow no longer by what was refused', async () => {
    await limits.take(ALEX, 30);
    vi.advanceTimersByTime(59_000);
    expect(await limits.take(ALEX, 30)).toBe(1000);
    vi.advanceTimersByTime(1000);
    expect(await limits.take(ALEX, 30)).toBe(0);
  });

  it('do not count what was refused, nor what was given back', async () => {
    expect(await limits.take(ALEX, 20)).toBe(0);
    expect(await limits.take(ALEX, 20)).toBe(60_000);
    expect(await limits.take(ALEX, 10)).toBe(0);
    await limits.giveBack(ALEX, 10);
    expect(await limits.take(ALEX, 10)).toBe(0);
    expect(await limits.take(ALEX, 1)).toBe(60_000);
  });

  it('let a person send 120 messages a minute, whatever they say', async () => {
    for (let message = 0; message < 120; message++) expect(await limits.takeMessage('alex')).toBe(0);
    expect(await limits.takeMessage('alex')).toBe(60_000);
    expect(await limits.takeMessage('patti')).toBe(0);
  });
});
