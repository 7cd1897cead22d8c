import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';

const secret = new Secret('canary');

describe('a secret', () => {
  it('is revealed on request', () => {
    expect(secret.reveal()).toBe('canary');
  });

  it.each<[string, string, string]>([
    ['String', String(secret), '[secret]'],
    ['a template', `<${secret}>`, '<[secret]>'],
    ['concatenation', `${'<'}${secret as unknown as string}`, '<[secret]'],
    ['JSON', JSON.stringify({ secret }), '{"secret":"[secret]"}'],
    ['inspect', inspect(secret), '[secret]'],
    [
      'inspect with everything shown',
      inspect(secret, { showHidden: true, depth: null, getters: true }),
      '[secret]',
    ],
    ['inspect inside others', inspect({ a: [secret] }), '{ a: [ [secret] ] }'],
    [
      'format',
      format('%s %j %o %O', secret, secret, secret, secret),
      '[secret] "[secret]" [secret] [secret]',
    ],
  ])('prints as [secret] in %s', (_, printed, expected) => {
    expect(printed).toBe(expected);
  });

  it.each([
    [
      'inspect without custom functions',
      () => inspect(secret, { customInspect: false, showHidden: true, depth: null }),
    ],
    ['the keys', () => Reflect.ownKeys(secret).join()],
    ['a copy', () => inspect({ ...secret }) + inspect(Object.assign({}, secret))],
    ['a structured clone', () => inspect(structuredClone(secret), { showHidden: true })],
    ['an error', () => inspect(new Error(`failed: ${secret}`, { cause: secret }), { showHidden: true })],
    ['a log line', () => logLine({ secret, err: Object.assign(new Error('failed'), { secret }) })],
  ])('is not in %s', (_, print) => {
    expect(print()).not.toContain('canary');
  });

  it('has no property to look at', () => {
    expect(Object.keys(secret)).toEqual([]);
    expect(Object.getOwnPropertyNames(secret)).toEqual([]);
  });
});

function logLine(fields: object): string {
  let line = '';
  pino({ level: 'trace' }, { write: (text) => (line += text) }).info(fields, 'test');
  expect(line).toContain('test');
  return line;
}
