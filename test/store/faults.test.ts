import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { awayState, isAway, isRefusal, lastingFaultOf, StoreClosedError } from '../../src/store/faults.ts';
import { closedUrl } from '../serve.ts';

const coded = (code: string | number) =>
  Object.assign(
    new Error('x'),
    typeof code === 'string' ? { code } : { code: 'ERR_SQLITE_ERROR', errcode: code },
  );

it.each([
  ...'ECONNREFUSED EAI_AGAIN CERT_HAS_EXPIRED 08006 28P01 3D000 42501 25006 53100 55000 57P01'
    .split(' ')
    .map(coded),
  ...[5, 10 | (7 << 8), 13].map(coded), // One is an extended code.
  new Error('Connection terminated unexpectedly'),
  new StoreClosedError('not open'),
])('the database is away by: %o', (error) => expect(isAway(error)).toBe(true));

it.each([
  ...['42P01', '23505', 1, 19].map(coded),
  ...[new TypeError('x is not a function'), 'words', undefined],
])('the database is not away by: %o', (error) => expect(isAway(error)).toBe(false));

it('a code of five with a digit is a refusal of the database itself', () =>
  expect(['42P01', 'EPIPE', 'ECONNREFUSED'].map(coded).map(isRefusal)).toEqual([true, false, false]));

it.each<[string | number, string, string?]>([
  ['25006', 'takes no changes'],
  [8, 'takes no changes', 'files not writable'],
  ['42501', 'takes no changes', 'right missing'],
  ['53100', 'is full'],
  ['53300', 'has no connection left'],
  [13, 'is full'],
  ['57P01', 'does not answer'],
  [10, 'does not answer'],
  [3, 'does not answer', 'files not writable'],
  [14, 'does not answer', 'files not writable'],
  ['CERT_HAS_EXPIRED', 'does not answer', 'no TLS'],
])('the code %s says what is wrong: %s, and what lasts: %s', (code, state, fault) =>
  expect([awayState(coded(code)), lastingFaultOf(coded(code))]).toEqual([state, fault]),
);

it('a host of which no address answers is away', async () => {
  const port = Number(new URL(await closedUrl()).port);
  const error = await new Promise((resolve) => connect(port, 'localhost').once('error', resolve));
  expect(isAway(error)).toBe(true);
});
