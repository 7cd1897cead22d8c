import { describe, expect, it } from 'vitest';
import { legacy } from '../../src/webhook/legacy.ts';

describe('the legacy form', () => {
  it.each([
    ['', 'a%2Fb', '/webhook/a%2Fb'],
    ['/team/chat', '%E0%A4%A', '/team/chat/webhook/%E0%A4%A'],
    ['/team/chat/', 'a:b@c;d=e', '/team/chat/webhook/a:b@c;d=e'],
  ])('behind the base path "%s" leaves the token %s as given', (path, token, target) => {
    expect(legacy.target(new URL(`https://room.example.com${path}`), token).pathname).toBe(target);
  });

  it('has a body of text alone', () => {
    expect(legacy.body('AA:BB:CC:DD:EE:FF\nCorp_Wired')).toBe('{"text":"AA:BB:CC:DD:EE:FF\\nCorp_Wired"}');
  });

  it('reads the body of an answer, not its status alone', () => {
    expect(legacy.read(200, '{"status":"OK"}')).toEqual({ kind: 'posted' });
    expect(legacy.read(200, '{"status":"error","error":"Webhook not found!"}').kind).toBe('not found');
  });
});
