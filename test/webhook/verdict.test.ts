import { describe, expect, it } from 'vitest';
import { FORMS } from '../../src/webhook/forms.ts';
import { readVerdict } from '../../src/webhook/verdict.ts';

const NOT_FOUND = { kind: 'not found', final: true };
const rejected = (status: number) => ({ kind: 'rejected', status, final: true });
const failed = (status: number) => ({ kind: 'failed', status, final: false });
const TAKEN = ['{"status":"OK"}', '{"status":"OK","message":"nothing was not found"}', '{"error":null}'];
const OTHERS = ' {"error":false,"status":"ok"} {"error":""} {"errors":1} 1 null "error" []'.split(' ');
const REFUSED = ['{"status":"error"}', '{"status":"ERROR","message":"busy"}', '{"error":{"code":17}}'];
const SUSPENDED = '{"status":"error","message":"Webhook suspended"}';
const UNKNOWN = ['{"status":"error","message":"webhook Not Found"}', '{"error":{"message":"notfound"}}'];

it.each<[statuses: number[], texts: string[], verdict: (status: number) => object]>([
  [[200, 204, 299], [...TAKEN, ...OTHERS, 'Something went wrong (error)'], () => ({ kind: 'posted' })],
  [[200, 202], [...REFUSED, '{"error":1,"status":"OK"}'], () => ({ kind: 'error verdict', final: false })],
  [[200, 400], [...UNKNOWN, '{"error":"Webhook not found!"}'], () => NOT_FOUND],
  [[404, 410], ['', SUSPENDED], () => NOT_FOUND],
  [[200], ['{"status":"error","validation":[{"field":"text"}]}'], rejected],
  [[200, 403], [SUSPENDED], () => ({ kind: 'suspended', final: false })],
  [[400, 401, 403, 413, 422], ['', '{"status":"OK"}', '{"error":"text is needed"}'], rejected],
  [[302, 408, 425, 429], ['', '{"error":"too many"}'], failed],
  [[500, 502, 503], ['', '<html>', '{"status":"OK"}', SUSPENDED, ...UNKNOWN], failed],
])('an answer of %j with any of %j is read', (statuses, texts, verdict) => {
  for (const status of statuses)
    for (const text of texts) expect(readVerdict(status, text), text).toEqual(verdict(status));
});

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
