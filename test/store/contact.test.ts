import { describe, expect, it } from 'vitest';
import { createContact } from '../../src/store/connection.ts';
import { StoreClosedError } from '../../src/store/faults.ts';

const coded = (code: string, words = 'words of the driver') => Object.assign(new Error(words), { code });
const away = () => Promise.reject(coded('ECONNREFUSED', 'connect ECONNREFUSED'));
const refused = () => Promise.reject(coded('42P01', 'no such table'));

function stage() {
  const told: string[] = [];
  const contact = createContact({
    onLost: (reason) => told.push(reason),
    clock: Date.now,
    onBack: () => told.push('back'),
  });
  return { ...contact, told };
}

describe('the contact to the database', () => {
  it('is told once when it is lost, and once when a change shows that it is back', async () => {
    const { call, told, state, gain } = stage();
    for (let count = 0; count < 3; count++) await expect(call(away)).rejects.toThrow(StoreClosedError);
    expect(state()).toBe('does not answer');
    expect(await call(async () => 'answer')).toBe('answer'); // A standby answers questions, too.
    expect(state()).toBe('does not answer');
    for (let count = 0; count < 3; count++) gain();
    expect(state()).toBe('ok');
    expect(told).toEqual(['connect ECONNREFUSED', 'back']);
  });

  it('says what was wrong last', async () => {
    const { call, told, state } = stage();
    await expect(call(away)).rejects.toThrow();
    await expect(call(() => Promise.reject(coded('25006')))).rejects.toThrow();
    expect([state(), told]).toEqual(['takes no changes', ['connect ECONNREFUSED']]);
  });

  it.each([
    ['25006', 'takes no changes'],
    ['53100', 'is full'],
    ['57P01', 'does not answer'],
  ])('says what is wrong: %s, %s', async (code, words) => {
    const { call, state } = stage();
    await expect(call(() => Promise.reject(coded(code)))).rejects.toThrow(StoreClosedError);
    expect(state()).toBe(words);
  });

  it('is told again if the reason is one that lasts', async () => {
    const { call, told } = stage();
    const wrong = () => Promise.reject(Object.assign(new Error('wrong password'), { code: '28P01' }));
    for (const each of [away, wrong, away, wrong]) await expect(call(each)).rejects.toThrow();
    expect(told).toEqual(['connect ECONNREFUSED', 'wrong password']);
  });

  it('is there if the database refuses a statement, and the refusal is thrown as it is', async () => {
    const { call, told } = stage();
    await expect(call(refused)).rejects.toThrow('no such table');
    expect(told).toEqual([]);
    await expect(call(away)).rejects.toThrow();
    await expect(call(refused)).rejects.toThrow('no such table');
    expect(told).toEqual(['connect ECONNREFUSED']);
  });

  it('takes an unknown error of the driver for an outage only while there is one', async () => {
    const { call } = stage();
    const odd = () => Promise.reject(new Error('unexpected condition'));
    await expect(call(odd)).rejects.toThrow('unexpected condition');
    await expect(call(away)).rejects.toThrow();
    await expect(call(odd)).rejects.toThrow(StoreClosedError);
  });
});
