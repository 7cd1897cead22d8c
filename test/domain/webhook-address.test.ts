import { describe, expect, it } from 'vitest';
import { splitPastedAddress } from '../../src/domain/webhook-address.ts';

const HOST = 'https://hooks.example.com';

describe('a pasted address', () => {
  it.each([
    ['/webhook/v2/tok', 'v2', '/', 'tok'],
    ['/webhook/v2/tok/', 'v2', '/', 'tok'],
    ['/a/b/webhook/v2/tok', 'v2', '/a/b', 'tok'],
    ['/webhook/v2/v2', 'v2', '/', 'v2'],
    ['/webhook/v2/webhook/v2/tok', 'v2', '/webhook/v2', 'tok'],
    ['/webhook/tok', 'legacy', '/', 'tok'],
    ['/webhook/tok/', 'legacy', '/', 'tok'],
    ['/a/b/webhook/tok', 'legacy', '/a/b', 'tok'],
    ['/webhook/v2token', 'legacy', '/', 'v2token'],
    ['/webhook/webhook', 'legacy', '/', 'webhook'],
  ])('%s is of the form %s, with the base %s and the token %s', (pathname, form, base, token) => {
    expect(splitPastedAddress(new URL(HOST + pathname))).toEqual({ form, token, base: new URL(HOST + base) });
  });

  it.each(['/webhook/v2', '/webhook/v2/', '/webhook', '/webhook/', '/webhook/v2/tok/more', '/'])(
    '%s holds no token',
    (pathname) => {
      expect(splitPastedAddress(new URL(HOST + pathname))).toBeUndefined();
    },
  );
});
