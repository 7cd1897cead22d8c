import { describe, expect, it } from 'vitest';
import { StoreClosedError } from '../../src/store/faults.ts';
import { createContact } from '../../src/store/store.ts';

const error = (words: string, code?: string) => Object.assign(new Error(words), code && { code });
const AWAY = error('connect ECONNREFUSED', 'ECONNREFUSED');
const READ_ONLY = error('read only', '25006');
const WRONG = error('wrong password', '28P01');
const REFUSED = error('no such table', '42P01');
const ODD = error('unexpected condition');

/** A contact that got these errors from its calls, what it told, and what each call threw. */
async function stage(...errors: Error[]) {
  const told: string[] = [];
  let now = 0;
  const contact = createContact({
    onLost: (reason) => told.push(reason),
    onBack: (awayMs) => told.push(`back after ${awayMs}`),
    clock: () => now++,
  });
  const thrown: unknown[] = [];
  for (const each of errors)
    await contact.call(() => Promise.reject(each)).catch((fault) => thrown.push(fault));
  return { ...contact, told, thrown };
}

describe('the contact to the database', () => {
  it('is told once when it is lost, and once when a change shows that it is back', async () => {
    const { call, told, state, gain } = await stage(AWAY, AWAY, AWAY);
    expect(await call(async () => 'answer')).toBe('answer'); // A standby answers questions, too.
    expect(state()).toBe('does not answer');
    for (let count = 0; count < 3; count++) gain();
    expect([state(), ...told]).toEqual(['ok', 'connect ECONNREFUSED', 'back after 1']);
  });

  const CLOSED = expect.any(StoreClosedError);
  it.each<[what: string, errors: Error[], state: string, told: string[], thrown: unknown[]]>([
    ['says what was wrong last', [AWAY, READ_ONLY], 'takes no changes', [AWAY.message], [CLOSED, CLOSED]],
    [
      'is told again if the reason is one that lasts',
      [AWAY, WRONG, AWAY, WRONG],
      'does not answer',
      [AWAY.message, WRONG.message],
      Array(4).fill(CLOSED),
    ],
    ['is there if the database refuses a statement', [REFUSED], 'ok', [], [REFUSED]],
    [
      'takes an unknown error for an outage only while there is one, and a refusal never',
      [ODD, AWAY, ODD, REFUSED],
      'does not answer',
      [AWAY.message],
      [ODD, CLOSED, CLOSED, REFUSED],
    ],
  ])('%s', async (_, errors, state, told, thrown) => {
    const contact = await stage(...errors);
    expect([contact.state(), contact.told, contact.thrown]).toEqual([state, told, thrown]);
  });
});
