import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Secret, splitPastedAddress } from '../../src/domain/secret.ts';

const secret = new Secret('canary');

it('a secret is revealed on request', () => expect(secret.reveal()).toBe('canary'));

const all = { showHidden: true, depth: null, getters: true };
it.each<[string, string]>([
  [String(secret), '[secret]'],
  [`<${secret}>`, '<[secret]>'],
  [JSON.stringify({ secret }), '{"secret":"[secret]"}'],
  [inspect(secret), '[secret]'],
  [inspect(secret, all), '[secret]'],
  [inspect({ a: [secret] }), '{ a: [ [secret] ] }'],
  [format('%s %j %o %O', secret, secret, secret, secret), '[secret] "[secret]" [secret] [secret]'],
])('a secret prints as [secret]: %s', (printed, expected) => expect(printed).toBe(expected));

it.each([
  ['inspect without custom functions', () => inspect(secret, { ...all, customInspect: false })],
  ['the keys', () => Reflect.ownKeys(secret).join()],
  ['a copy', () => inspect({ ...secret }) + inspect(Object.assign({}, secret))],
  ['a structured clone', () => inspect(structuredClone(secret), { showHidden: true })],
  ['an error', () => inspect(new Error(`failed: ${secret}`, { cause: secret }), { showHidden: true })],
  ['a log line', () => logLine({ secret, err: Object.assign(new Error('failed'), { secret }) })],
])('a secret is not in %s', (_, print) => expect(print()).not.toContain('canary'));

function logLine(fields: object): string {
  let line = '';
  pino({ level: 'trace' }, { write: (text) => (line += text) }).info(fields, 'test');
  expect(line).toContain('test');
  return line;
}

const HOST = 'https://hooks.example.com';

it.each([
  ['/webhook/v2/tok/', 'v2', '/', 'tok'],
  ['/a/b/webhook/v2/tok', 'v2', '/a/b', 'tok'],
  ['/webhook/v2/v2', 'v2', '/', 'v2'],
  ['/webhook/v2/webhook/v2/tok', 'v2', '/webhook/v2', 'tok'],
  ['/a/b/webhook/tok', 'legacy', '/a/b', 'tok'],
  ['/webhook/v2token', 'legacy', '/', 'v2token'],
])('the pasted %s is of the form %s, with the base %s and the token %s', (pathname, form, base, token) =>
  expect(splitPastedAddress(new URL(HOST + pathname))).toEqual({ form, token, base: new URL(HOST + base) }),
);

it.each<[pathname: string, token: '' | undefined]>([
  ...['/webhook/v2', '/webhook/v2/', '/webhook', '/webhook/'].map((cut): [string, ''] => [cut, '']),
  ...['/webhook/v2/tok/more', '/'].map((base): [string, undefined] => [base, undefined]),
])('the pasted %s has the token %j', (pathname, token) =>
  expect(splitPastedAddress(new URL(HOST + pathname))?.token).toBe(token),
);
