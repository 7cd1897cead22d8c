import { describe, expect, it } from 'vitest';
import { readSessionOutcome } from '../../src/nac/session-call.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { timeOf } from '../time-of.ts';

const XML = 'application/xml;charset=UTF-8';
const NO_SESSION =
  '<?xml version="1.0"?><mnt-rest-result><http-code>500</http-code><cpm-code>34110</cpm-code><internal-error-info>Session data is\n not available for 00:00:00:00:00:00.</internal-error-info><status>SERVER_ERROR</status></mnt-rest-result>';

describe('readSessionOutcome', () => {
  it('finds a session, its tokens and its record', () => {
    expect(read(200, sessionXml({ user_name: 'alex' }))).toMatchObject({
      kind: 'found',
      tokens: ['Corp_Wired_Access', 'Basic_Authenticated_Access'],
      record: { user: 'alex', passed: true },
    });
  });

  it.each([
    ['a byte order mark', `\ufeff${sessionXml({})}`],
    ['stray lines before and behind', `warning: cache is cold\n${sessionXml({})}\n-- end --`],
    ['a comment before', `<!-- <html> -->${sessionXml({})}`],
    ['a prefix', '<ns2:sessionParameters><a>x_y</a></ns2:sessionParameters>'],
    ['unbound prefixes inside', '<sessionParameters><q:a>x_y</q:a></sessionParameters>'],
    ['white space in the closing tag', '<sessionParameters><a>x_y</a></sessionParameters >'],
    ['an empty element', '<sessionParameters/>'],
  ])('finds a session with %s, whatever the content type', (_, text) => {
    expect([read(200, text).kind, read(200, text, 'text/plain').kind]).toEqual(['found', 'found']);
  });

  it.each([
    ['the words of "no session"', `<mnt-rest-result>${'session '.repeat(100_000)}`],
    ['half of them', `<mnt-rest-result>${'session is not '.repeat(60_000)}`],
    ['comments', '<!--'.repeat(200_000)],
    ['ends', `<sessionParameters>${'</sessionParameters '.repeat(50_000)}`],
    ['prefixes', '<a:'.repeat(300_000)],
  ])('needs little time for a megabyte of %s', (_, text) => {
    expect(timeOf(() => read(500, text))).toBeLessThan(200);
    expect(timeOf(() => read(200, text))).toBeLessThan(200);
  });

  it('distinguishes "no session" from a fault by its words, though both are a 500 with code 34110', () => {
    expect(read(500, NO_SESSION)).toEqual({ kind: 'no session' });
    expect(read(503, NO_SESSION)).toEqual({ kind: 'fault', status: 503 });
    for (const [words, others] of [
      ['Session data', 'The database'],
      ['not available', 'lost'],
    ] as const)
      expect(read(500, NO_SESSION.replace(words, others))).toEqual({ kind: 'fault', status: 500 });
  });

  it.each([
    [401, { kind: 'refused' }],
    [403, { kind: 'forbidden' }],
    [404, { kind: 'fault', status: 404 }],
    [500, { kind: 'fault', status: 500 }],
    [302, { kind: 'unusable', reason: 'login page' }],
  ])('reads status %i with an HTML body', (status, outcome) => {
    expect(read(status, '<html><body>data is not available</body></html>', 'text/html')).toEqual(outcome);
  });

  it.each([
    ['an HTML page', '<html><body>Login</body></html>', 'text/html', 'login page'],
    ['an HTML page called XML', '<!DOCTYPE html>\n<HTML><body>Login</body></HTML>', XML, 'login page'],
    ['HTML without a root', '<p>Login</p>', 'text/html;charset=UTF-8', 'login page'],
    ['a session without its end', sessionXml({}).slice(0, -30), XML, 'cut off'],
    ['an XML declaration alone', '<?xml version="1.0"?>', XML, 'cut off'],
    ['half a root element', '<sessionPara', XML, 'cut off'],
    ['nothing', '', XML, 'cut off'],
    ['another root', '<activeList noOfActiveSession="0"/>', XML, 'unknown'],
    ['JSON', '{"session_id": "a_b:c"}', 'application/json', 'unknown'],
  ])('does not use %s', (_, text, type, reason) => {
    expect(read(200, text, type)).toEqual({ kind: 'unusable', reason });
  });
});

function read(status: number, text: string, type = XML) {
  return readSessionOutcome({ kind: 'answered', status, headers: { 'content-type': type }, text });
}
