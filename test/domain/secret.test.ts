import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';

const secret = new Secret('canary');

describe('a secret', () => {
  it('is revealed on request', () => {
    expect(secret.reveal()).toBe('canary');
  });

  const all = { showHidden: true, depth: null, getters: true };
  it.each<[string, string]>([
    [String(secret), '[secret]'],
    [`<${secret}>`, '<[secret]>'],
    [JSON.stringify({ secret }), '{"secret":"[secret]"}'],
    [inspect(secret), '[secret]'],
    [inspect(secret, all), '[secret]'],
    [inspect({ a: [secret] }), '{ a: [ [secret] ] }'],
    [format('%s %j %o %O', secret, secret, secret, secret), '[secret] "[secret]" [secret] [secret]'],
  ])('prints as [secret], by text, template, JSON, inspect and format: %s', (printed, expected) => {
    expect(printed).toBe(expected);
  });

  it.each([
    ['inspect without custom functions', () => inspect(secret, { ...all, customInspect: false })],
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
