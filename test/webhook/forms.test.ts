import { describe, expect, it } from 'vitest';
import { FORMS } from '../../src/webhook/forms.ts';

describe.each([
  ['v2', '/webhook/v2/'],
  ['legacy', '/webhook/'],
] as const)('the %s form', (form, path) => {
  const { name, target, body, read } = FORMS[form];

  it.each([
    ['', 'a%2Fb'],
    ['/team/chat', '%E0%A4%A'],
    ['/team/chat/', 'a:b@c;d=e'],
  ])('behind the base path "%s" leaves the token %s as given', (base, token) => {
    const { pathname } = target(new URL(`https://room.example.com${base}`), token);
    expect(pathname).toBe(base.replace(/\/$/, '') + path + token);
  });

  it('has its name, and a body of text alone', () => {
    expect(name).toBe(form);
    expect(body('AA:BB:CC:DD:EE:FF\nCorp_Wired')).toBe('{"text":"AA:BB:CC:DD:EE:FF\\nCorp_Wired"}');
  });

  it('reads the body of an answer, not its status alone', () => {
    expect(read(200, '{"status":"OK"}')).toEqual({ kind: 'posted' });
    expect(read(200, '{"status":"error","error":"Webhook not found!"}').kind).toBe('not found');
  });
});
