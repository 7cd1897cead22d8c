import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isAway, isRefusal, StoreClosedError } from '../../src/store/faults.ts';
import { closedUrl } from '../serve.ts';

const coded = (code: string) => Object.assign(new Error('words of the driver'), { code });

describe('a database is away', () => {
  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EPIPE',
    'ENOENT',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    '08006',
    '28P01',
    '28000',
    '3D000',
    '25006',
    '53100',
    '53300',
    '57P01',
    '57P03',
    '57P05',
  ])('if a call ends with %s', (code) => expect(isAway(coded(code))).toBe(true));

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
  ])('if the driver says: %s', (words) => expect(isAway(new Error(words))).toBe(true));

  it('if the store says so', () => expect(isAway(new StoreClosedError('not open'))).toBe(true));

  it('if none of the addresses of a host answers', async () => {
    const port = Number(new URL(await closedUrl()).port);
    const error = await new Promise((resolve) => connect(port, 'localhost').once('error', resolve));
    expect(isAway(error)).toBe(true);
  });
});

describe('a database is not away', () => {
  it.each(['42P01', '42501', '23505', 'ERR_INVALID_ARG_TYPE'])('if a call ends with %s', (code) =>
    expect(isAway(coded(code))).toBe(false),
  );
  it.each([new TypeError('x is not a function'), new Error('Queue post does not exist'), 'words', undefined])(
    'because of a bug: %s',
    (error) => expect(isAway(error)).toBe(false),
  );
});

describe('the database itself refuses', () => {
  it.each([
    ['42P01', true],
    ['EPIPE', false],
    ['ECONNREFUSED', false],
  ])('with %s: %s', (code, refuses) => expect(isRefusal(coded(code))).toBe(refuses));
});
