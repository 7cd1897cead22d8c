import { expect, it } from 'vitest';
import { CAUSES, failureOf } from '../../src/domain/causes.ts';
import { codeOf } from '../../src/domain/session.ts';

it.each([
  ['22056 Subject not found', '22056'],
  ['100001 AUTHMGR', '100001'],
  ['22056', '22056'],
  ['123 Words', undefined],
  ['1234567 Words', undefined],
  ['Words 22056', undefined],
  [undefined, undefined],
])('the code of %j is %s', (reason, code) => expect(codeOf(reason)).toBe(code));

it.each([...CAUSES])('the cause of %s is one sentence, and its cure another', (code, { cause, cure }) => {
  expect(cause).toMatch(/^(?:The|An|No|User|Device) .+[^.]$/);
  if (cure !== undefined) expect(cure).toMatch(/^[A-Z].+[.?]$/);
  expect(failureOf({ failureReason: `${code} Words` })).toEqual({ code, isSure: true, cause, cure });
});

it.each<[what: string, steps: string, code: string, isSure: boolean]>([
  ['a wrong password first', '22056 24344 24408 22057', '24408', true],
  ['an unknown name next', '24412 22056 22058', '22056', true],
  ['then the first that says what failed', '11001 22057 24409 24403', '24409', false],
  ['a policy that rejects in the end', '22056 22058 22060 15048 15039 11003', '15039', true],
  ['last one that says what follows a failure', '11001 22057 22061 11003', '22057', false],
])('a failure without a reason is described by its steps: %s', (_, steps, code, isSure) =>
  expect(failureOf({ steps: steps.split(' ') })).toMatchObject({ code, isSure }),
);

it.each<[Parameters<typeof failureOf>[0], code: string | undefined]>([
  [{ failureReason: '22040 x', messageCode: '5411', steps: ['24408'] }, '22040'],
  [{ failureReason: '86019 x', messageCode: '5417', steps: ['24408'] }, '5417'],
  [{ messageCode: '5440', steps: ['24408'] }, '5440'],
  [{ messageCode: '5400', steps: ['24408'] }, '24408'],
  [{ failureReason: '86019 x', messageCode: '5400', steps: ['24408'] }, undefined],
  [{ failureReason: 'Wrong password' }, undefined],
  [{ steps: ['11001', '86019', ''] }, undefined],
  [{}, undefined],
])('a failure %j is described by %s', (failed, code) => expect(failureOf(failed)?.code).toBe(code));
