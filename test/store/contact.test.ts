import { describe, expect, it } from 'vitest';
import { StoreClosedError } from '../../src/store/away.ts';
import { createContact } from '../../src/store/contact.ts';

const away = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
const refused = () => Promise.reject(Object.assign(new Error('no such table'), { code: '42P01' }));

function stage(waitMs = 1000) {
  const told: string[] = [];
  const contact = createContact({
    waitMs,
    onLost: (reason) => told.push(reason),
    onBack: () => told.push('back'),
  });
  return { ...contact, told };
}

describe('the contact to the database', () => {
  it('is told once when it is lost and once when it is back, however many calls fail', async () => {
    const { call, told, isLost } = stage();
    for (let count = 0; count < 3; count++) await expect(call(away)).rejects.toThrow(StoreClosedError);
    expect(isLost()).toBe(true);
    for (let count = 0; count < 3; count++) await call(async () => 'answer');
    expect(isLost()).toBe(false);
    expect(told).toEqual(['connect ECONNREFUSED', 'back']);
  });

  it('is told again if the reason is one that lasts', async () => {
    const { call, told } = stage();
    const wrong = () => Promise.reject(Object.assign(new Error('wrong password'), { code: '28P01' }));
    for (const each of [away, wrong, away, wrong]) await expect(call(each)).rejects.toThrow();
    expect(told).toEqual(['connect ECONNREFUSED', 'wrong password']);
  });

  it('is not back because of an answer to a call that began before the loss', async () => {
    const { call, told } = stage();
    const { promise, resolve } = Promise.withResolvers<string>();
    const early = call(() => promise);
    await expect(call(away)).rejects.toThrow();
    resolve('late');
    await early;
    expect(told).toEqual(['connect ECONNREFUSED']);
  });

  it('is lost if an answer takes too long', async () => {
    const { callInTime, told } = stage(10);
    await expect(callInTime(() => new Promise(() => {}))).rejects.toThrow(StoreClosedError);
    expect(told).toEqual(['the database does not answer']);
  });

  it('is there if the database refuses a statement, and the refusal is thrown as it is', async () => {
    const { call, told, isLost } = stage();
    await expect(call(refused)).rejects.toThrow('no such table');
    expect(isLost()).toBe(false);
    await expect(call(away)).rejects.toThrow();
    await expect(call(refused)).rejects.toThrow('no such table');
    expect(told).toEqual(['connect ECONNREFUSED', 'back']);
  });

  it('takes an unknown error of the driver for an outage only while there is one', async () => {
    const { call } = stage();
    const odd = () => Promise.reject(new Error('unexpected condition'));
    await expect(call(odd)).rejects.toThrow('unexpected condition');
    await expect(call(away)).rejects.toThrow();
    await expect(call(odd)).rejects.toThrow(StoreClosedError);
  });
});
