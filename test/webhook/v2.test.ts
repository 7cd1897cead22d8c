import { describe, expect, it } from 'vitest';
import { v2 } from '../../src/webhook/v2.ts';

describe('the v2 form', () => {
  it.each([
    ['', 'a%2Fb', '/webhook/v2/a%2Fb'],
    ['/team/chat', '%E0%A4%A', '/team/chat/webhook/v2/%E0%A4%A'],
    ['/team/chat/', 'a:b@c;d=e', '/team/chat/webhook/v2/a:b@c;d=e'],
  ])('behind the base path "%s" leaves the token %s as given', (path, token, target) => {
    expect(v2.target(new URL(`https://room.example.com${path}`), token).pathname).toBe(target);
  });

  it('has a body of text alone', () => {
    expect(v2.body('AA:BB:CC:DD:EE:FF\nCorp_Wired')).toBe('{"text":"AA:BB:CC:DD:EE:FF\\nCorp_Wired"}');
  });

  it('reads the body of an answer, not its status alone', () => {
    expect(v2.read(200, '{"status":"OK"}')).toEqual({ kind: 'posted' });
    expect(v2.read(200, '{"status":"error","error":"Webhook not found!"}').kind).toBe('not found');
  });
});
