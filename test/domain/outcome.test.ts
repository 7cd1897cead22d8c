import { expect, it } from 'vitest';
import { groupOf, type HttpFault, lookupName, postName } from '../../src/domain/outcome.ts';

it.each<[fault: HttpFault, lookup: string, post: string]>([
  [{ kind: 'too large' }, 'unusable', 'no verdict'],
  [{ kind: 'timed out', timeoutMs: 1, begun: true }, 'unusable', 'timed out'],
  [{ kind: 'timed out', timeoutMs: 1, begun: false }, 'timed out', 'timed out'],
  [{ kind: 'untrusted', reason: 'expired' }, 'untrusted', 'untrusted'],
  [{ kind: 'unreachable', code: 'ECONNREFUSED' }, 'unreachable', 'unreachable'],
])('an outcome without an answer is named by its fault: %j', (fault, lookup, post) => {
  expect(lookupName({ kind: 'no answer', fault })).toBe(lookup);
  expect(postName({ kind: 'no answer', fault })).toBe(post);
});

it('an outcome with an answer is named by its kind', () => {
  expect(lookupName({ kind: 'fault', status: 500 })).toBe('fault');
  expect(postName({ kind: 'rejected' })).toBe('rejected');
});

it.each<[ReturnType<typeof groupOf>, Array<Parameters<typeof groupOf>[0]['kind']>]>([
  ['found', ['found']],
  ['no session', ['no session']],
  ['no device', ['no device']],
  ['not known', ['refused', 'forbidden', 'fault', 'unusable', 'no answer']],
  ['not known', ['paused', 'resting', 'busy', 'disconnected', 'given up']],
])('an outcome stands in the group "%s"', (group, kinds) => {
  for (const kind of kinds) expect(groupOf({ kind })).toBe(group);
});
