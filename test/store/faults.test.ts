import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { isAway, isRefusal, lastingFaultOf, StoreClosedError, stateOf } from '../../src/store/faults.ts';
import { closedUrl } from '../serve.ts';

const coded = (code: string | number) =>
  Object.assign(
    new Error('x'),
    typeof code === 'string' ? { code } : { code: 'ERR_SQLITE_ERROR', errcode: code },
  );
const AWAY = `ECONNREFUSED ECONNRESET ETIMEDOUT EHOSTUNREACH ENOTFOUND EAI_AGAIN EPIPE ENOENT CERT_HAS_EXPIRED
  DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_TLS_CERT_ALTNAME_INVALID
  08006 28P01 28000 3D000 25006 53100 53300 57P01 57P03 57P05`.split(/\s+/);
const AWAY_WORDS = `Connection terminated unexpectedly
timeout exceeded when trying to connect
timeout expired
Query read timeout
Client has encountered a connection error and is not queryable
Client was closed and is not queryable
Cannot use a pool after calling end on the pool
The server does not support SSL connections`.split('\n');

it.each([
  ...[...AWAY, 5, 10 | (7 << 8), 13].map(coded), // One is an extended code.
  ...AWAY_WORDS.map((words) => new Error(words)),
  new StoreClosedError('not open'),
])('the database is away by: %o', (error) => expect(isAway(error)).toBe(true));

it.each([
  ...['42P01', '42501', '23505', 'ERR_INVALID_ARG_TYPE', 1, 19].map(coded),
  ...[new Error('Queue post does not exist'), new TypeError('x is not a function'), 'words', undefined],
])('the database is not away by: %o', (error) => expect(isAway(error)).toBe(false));

it('a code of five with a digit is a refusal of the database itself', () =>
  expect(['42P01', 'EPIPE', 'ECONNREFUSED'].map(coded).map(isRefusal)).toEqual([true, false, false]));

it.each<[string | number, string, string?]>([
  ['25006', 'takes no changes'],
  [8, 'takes no changes', 'files not writable'],
  ['53100', 'is full'],
  ['53300', 'has no connection left'],
  [13, 'is full'],
  ['57P01', 'does not answer'],
  [10, 'does not answer'],
  [3, 'does not answer', 'files not writable'],
  [14, 'does not answer', 'files not writable'],
  ['CERT_HAS_EXPIRED', 'does not answer', 'no TLS'],
])('the code %s says what is wrong: %s, and what lasts: %s', (code, state, fault) =>
  expect([stateOf(coded(code)), lastingFaultOf(coded(code))]).toEqual([state, fault]),
);

it('a host of which no address answers is away', async () => {
  const port = Number(new URL(await closedUrl()).port);
  const error = await new Promise((resolve) => connect(port, 'localhost').once('error', resolve));
  expect(isAway(error)).toBe(true);
});
