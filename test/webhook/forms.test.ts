import { expect, it } from 'vitest';
import { legacy } from '../../src/webhook/legacy.ts';
import { v2 } from '../../src/webhook/v2.ts';

it.each([
  ['', 'a%2Fb'],
  ['/team/chat', '%E0%A4%A'],
  ['/team/chat/', 'a:b@c;d=e'],
])('both forms behind the base path "%s" leave the token %s as given', (base, token) => {
  const url = new URL(`https://room.example.com${base}`);
  const path = base.replace(/\/$/, '');
  expect(v2(url, token).pathname).toBe(`${path}/webhook/v2/${token}`);
  expect(legacy(url, token).pathname).toBe(`${path}/webhook/${token}`);
});
