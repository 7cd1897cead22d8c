import { describe, expect, it } from 'vitest';
import { readSessionOutcome } from '../../src/nac/reading/session.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { timeOf } from '../time-of.ts';

const XML = 'application/xml;charset=UTF-8';
const NO_SESSION =
  '<?xml version="1.0"?><mnt-rest-result><http-code>500</http-code><cpm-code>34110</cpm-code><internal-error-info>Session data is\n not available for 00:00:00:00:00:00.</internal-error-info><status>SERVER_ERROR</status></mnt-rest-result>';
const NO_DIRECTORY = NO_SESSION.replace(/Session data[^.]*/, 'Session directory service is not available');
const NO_NODE = NO_SESSION.replace(/Session data[^.]*/, 'Node is not available for db.example');

const HTML = 'text/html';
const PAGE = '<html><body>data is not available</body></html>';
const fault = (status: number) => ({ kind: 'fault', status });
const unusable = (reason: string) => ({ kind: 'unusable', reason });

describe('readSessionOutcome', () => {
  it('returns a session, its tokens and its record', () =>
    expect(read(200, sessionXml({ user_name: 'alex' }))).toMatchObject({
      kind: 'found',
      tokens: ['Corp_Wired_Access', 'Basic_Authenticated_Access'],
      record: { user: 'alex', passed: true },
    }));

  it.each([
    ['a byte order mark', `\ufeff${sessionXml({})}`],
    ['stray lines before and behind', `warning: cache is cold\n${sessionXml({})}\n-- end --`],
    ['a comment before', `<!-- <html> -->${sessionXml({})}`],
    ['a prefix', '<ns2:sessionParameters><a>x_y</a></ns2:sessionParameters>'],
    ['unbound prefixes inside', '<sessionParameters><q:a>x_y</q:a></sessionParameters>'],
    ['white space in the closing tag', '<sessionParameters><a>x_y</a></sessionParameters >'],
    ['an empty element', '<sessionParameters/>'],
  ])('returns a session with %s, whatever the content type', (_, text) =>
    expect([read(200, text).kind, read(200, text, 'text/plain').kind]).toEqual(['found', 'found']),
  );

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

  it.each([
    ['the words of "no session"', 500, NO_SESSION, XML, { kind: 'no session' }],
    ['them from a gateway', 404, NO_SESSION, XML, { kind: 'no session' }],
    ['them with another status', 503, NO_SESSION, XML, fault(503)],
    ['a fault with the same code', 500, NO_DIRECTORY, XML, { ...fault(500), part: 'session directory' }],
    ['a host that is not available', 500, NO_NODE, XML, fault(500)],
    ['other words with the same code', 500, NO_SESSION.replace('not available', 'lost'), XML, fault(500)],
    ['401', 401, PAGE, HTML, { kind: 'refused' }],
    ['403', 403, PAGE, HTML, { kind: 'forbidden' }],
    ['500', 500, PAGE, HTML, fault(500)],
    ['302', 302, PAGE, HTML, { ...unusable('redirect'), status: 302, to: undefined }],
    ['an HTML page', 200, PAGE, HTML, unusable('login page')],
    ['an HTML page called XML', 200, `<!DOCTYPE html>\n${PAGE.toUpperCase()}`, XML, unusable('login page')],
    ['HTML without a root', 200, '<p>Login</p>', `${HTML};charset=UTF-8`, unusable('login page')],
    ['a session without its end', 200, sessionXml({}).slice(0, -30), XML, unusable('cut off')],
    ['half a root element', 200, '<sessionPara', XML, unusable('cut off')],
    ['nothing', 200, '', XML, { ...unusable('empty'), status: 200 }],
    ['another root', 200, '<activeList noOfActiveSession="0"/>', XML, unusable('unknown')],
    ['JSON', 200, '{"session_id": "a_b:c"}', 'application/json', unusable('unknown')],
  ])('reads %s', (_, status, text, type, outcome) => expect(read(status, text, type)).toEqual(outcome));

  it.each(['<', '<!--', '<x y="'])('reads a session with a stray %s before its end', (stray) =>
    expect(read(200, sessionXml({}).replace('</sessionP', `${stray}</sessionP`)).kind).toBe('found'),
  );
});

function read(status: number, text: string, type = XML) {
  return readSessionOutcome({ kind: 'answered', status, headers: { 'content-type': type }, text });
}
