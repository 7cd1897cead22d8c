import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isAway, isRefusal, lastingFaultOf, StoreClosedError, stateOf } from '../../src/store/faults.ts';
import { closedUrl } from '../serve.ts';

const coded = (code: string) => Object.assign(new Error('words of the driver'), { code });
const sqlite = (errcode: number) => Object.assign(coded('ERR_SQLITE_ERROR'), { errcode });

describe('an error with a code', () => {
  it.each([
    ...'ECONNREFUSED ECONNRESET ETIMEDOUT EHOSTUNREACH ENOTFOUND EAI_AGAIN EPIPE ENOENT'.split(' '),
    ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['ERR_TLS_CERT_ALTNAME_INVALID', '08006', '28P01', '28000', '3D000', '25006', '53100', '53300'],
    ...['57P01', '57P03', '57P05'],
  ])('says that the database is away: %s', (code) => expect(isAway(coded(code))).toBe(true));

  it.each(['42P01', '42501', '23505', 'ERR_INVALID_ARG_TYPE'])('says nothing of the kind: %s', (code) =>
    expect(isAway(coded(code))).toBe(false),
  );

  it.each([
    [5, true],
    [10 | (7 << 8), true], // An extended code.
    [13, true],
    [1, false],
    [19, false],
  ])('of SQLite, %i, says that the database is away: %s', (code, away) =>
    expect(isAway(sqlite(code))).toBe(away),
  );

  it.each([
    ['42P01', true],
    ['EPIPE', false],
    ['ECONNREFUSED', false],
  ])('%s is a refusal of the database itself: %s', (code, refuses) =>
    expect(isRefusal(coded(code))).toBe(refuses),
  );

  it.each([
    [coded('25006'), 'takes no changes'],
    [sqlite(8), 'takes no changes'],
    [coded('53100'), 'is full'],
    [sqlite(13), 'is full'],
    [coded('57P01'), 'does not answer'],
    [sqlite(10), 'does not answer'],
  ])('%o says what is wrong: %s', (error, words) => expect(stateOf(error)).toBe(words));

  it.each([
    [coded('28P01'), 'password refused'],
    [coded('42501'), 'right missing'],
    [coded('CERT_HAS_EXPIRED'), 'no TLS'],
    [Object.assign(coded('ENOENT'), { syscall: 'open' }), 'address unreadable'],
    [sqlite(3), 'files not writable'],
    [sqlite(14), 'files not writable'],
    [sqlite(26), 'no SQLite'],
    [coded('ECONNREFUSED'), undefined],
    [sqlite(13), undefined],
  ])('%o lasts as: %s', (error, fault) => expect(lastingFaultOf(error)).toBe(fault));
});

describe('an error without a code', () => {
  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'The server does not support SSL connections',
  ])('says that the database is away, by the words of the driver: %s', (words) =>
    expect(isAway(new Error(words))).toBe(true),
  );

  it.each([
    [new StoreClosedError('not open'), true],
    [new TypeError('x is not a function'), false],
    [new Error('Queue post does not exist'), false],
    ['words', false],
    [undefined, false],
  ])('%o says that the database is away: %s', (error, away) => expect(isAway(error)).toBe(away));
});

it('a host of which no address answers is away', async () => {
  const port = Number(new URL(await closedUrl()).port);
  const error = await new Promise((resolve) => connect(port, 'localhost').once('error', resolve));
  expect(isAway(error)).toBe(true);
});
