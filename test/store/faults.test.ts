import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isAway, isRefusal, lastingFaultOf, StoreClosedError, stateOf } from '../../src/store/faults.ts';
import { closedUrl } from '../serve.ts';

const coded = (code: string) => Object.assign(new Error('words of the driver'), { code });
const sqlite = (errcode: number) => Object.assign(coded('ERR_SQLITE_ERROR'), { errcode });

describe('an error with a code', () => {
  const codes = (words: string) => words.split(' ').map(coded);
  it.each([
    ...codes('ECONNREFUSED ECONNRESET ETIMEDOUT EHOSTUNREACH ENOTFOUND EAI_AGAIN EPIPE ENOENT'),
    ...codes('CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    ...codes('ERR_TLS_CERT_ALTNAME_INVALID 08006 28P01 28000 3D000 25006 53100 53300 57P01 57P03 57P05'),
    ...[5, 10 | (7 << 8), 13].map(sqlite), // One is an extended code.
  ])('says that the database is away: %o', (error) => expect(isAway(error)).toBe(true));

  it.each([...codes('42P01 42501 23505 ERR_INVALID_ARG_TYPE'), ...[1, 19].map(sqlite)])(
    'says nothing of the kind: %o',
    (error) => expect(isAway(error)).toBe(false),
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
    [coded('CERT_HAS_EXPIRED'), 'no TLS'],
    [sqlite(3), 'files not writable'],
    [sqlite(14), 'files not writable'],
    [coded('ECONNREFUSED'), undefined],
    [sqlite(13), undefined],
  ])('%o lasts as: %s', (error, fault) => expect(lastingFaultOf(error)).toBe(fault));
});

it.each([
  ['Connection terminated unexpectedly', true],
  ['Connection terminated due to connection timeout', true],
  ['timeout exceeded when trying to connect', true],
  ['timeout expired', true],
  ['Query read timeout', true],
  ['Client has encountered a connection error and is not queryable', true],
  ['Client was closed and is not queryable', true],
  ['Cannot use a pool after calling end on the pool', true],
  ['The server does not support SSL connections', true],
  ['Queue post does not exist', false],
])('an error without a code, "%s", says that the database is away: %s', (words, away) =>
  expect(isAway(new Error(words))).toBe(away),
);

it.each([
  [new StoreClosedError('not open'), true],
  [new TypeError('x is not a function'), false],
  ['words', false],
  [undefined, false],
])('%o says that the database is away: %s', (error, away) => expect(isAway(error)).toBe(away));

it('a host of which no address answers is away', async () => {
  const port = Number(new URL(await closedUrl()).port);
  const error = await new Promise((resolve) => connect(port, 'localhost').once('error', resolve));
  expect(isAway(error)).toBe(true);
});
