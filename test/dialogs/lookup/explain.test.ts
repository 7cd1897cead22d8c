import { expect, it, vi } from 'vitest';
import * as lookups from '../../../dialogs/lookup/device-lookups.ts';
import { renderAnswer } from '../../../dialogs/render/answer.ts';
import type { DeviceAnswer } from '../../../dialogs/render/device.ts';
import type { DeviceAddress } from '../../../src/domain/device-address.ts';
import type { Attempt } from '../../../src/domain/session.ts';
import type { Endpoint } from '../../../src/nac/endpoints.ts';
import { answered, DOWN, ENDED, found, NONE, NOW, own, PLACE, READER, REJECTED } from '../outcomes.ts';

const FAILED: Attempt = { passed: false, failureReason: '86019 Gremlins' };

it('attempts are asked for by MAC, of the five worst devices', async () => {
  const IP = '192.0.2.7' as DeviceAddress;
  const unknown = { ...answered(NONE, IP), asked: IP };
  const quarantined = found({ other: { EPSStatus: 'Quarantine' } });
  const history = vi.fn(async (_: string) => undefined);
  const others = [quarantined, { kind: 'busy' }, { kind: 'no device' }] as const;
  await explain({ history }, [unknown, ...answersOf(ENDED, found(), NONE, ...others, REJECTED)]);
  const asked = () => history.mock.calls.splice(0).map(([address]) => address.slice(-1));
  expect(asked()).toEqual(['7', '3', '1']);
  await explain({ history }, answersOf(NONE, ENDED, NONE, NONE, NONE, NONE, REJECTED));
  expect(asked()).toEqual(['7', '1', '3', '4', '5']);
});

it('attempts are left out if they have not come', async () => {
  const history = vi.fn(async (address: string) => (address.endsWith('1') ? [FAILED] : undefined));
  const answers = answersOf(NONE, NONE);
  const [first, second] = await explain({ history }, answers);
  expect(first?.attempts).toEqual([FAILED]);
  expect(second).not.toHaveProperty('attempts');
});

it('attempts are left out if a bug broke them', async () => {
  const bug = new Error('a bug');
  const onError = vi.fn();
  const answers = answersOf(REJECTED);
  expect(await explain({ history: () => Promise.reject(bug), onError }, answers)).toEqual(answers);
  expect(onError.mock.calls).toEqual([[bug]]);
});

const hasNoSessions = async () => undefined;
const onError = (error: unknown) => expect.unreachable(String(error));
const nac = { history: undefined, hasNoSessions };

type Parts = lookups.ReportParts;

function explain(parts: Partial<Parts & Parts['nac']>, answers: readonly DeviceAnswer[]) {
  const off = { onError, findEndpoint: undefined, recent: lookups.createRecentLookups(() => NOW), ...parts };
  const bot: Partial<Parts> = { ...off, nac: { ...nac, ...parts } as Parts['nac'] };
  return lookups.explain(answers, 'alex', bot as Parts);
}

function answersOf(...outcomes: ReadonlyArray<DeviceAnswer['outcome']>): DeviceAnswer[] {
  return outcomes.map((outcome, index) => answered(outcome, `00:1B:54:00:00:0${index + 1}`));
}

function told(answers: readonly DeviceAnswer[]): string[] {
  const { text, summary } = renderAnswer(answers, READER);
  const lines = text.split('\n').map((each) => each.trim().replaceAll('`', ''));
  expect(summary).toContain(lines[1]);
  return lines.slice(1, -1);
}

const KNOWN: Endpoint = { kind: 'known' };

const CRANE = { staticGroupAssignment: true, portalUser: 'megan', description: 'Crane printer' };

it.each<[Endpoint, string]>([
  [
    { ...KNOWN, group: 'Cranes', ...CRANE },
    'The NAC knows it: group Cranes (static), registered by megan, Crane printer.',
  ],
  [{ ...KNOWN, group: 'Profiled' }, 'The NAC knows it: group Profiled.'],
  [KNOWN, 'The NAC knows it.'],
  [{ kind: 'not known' }, 'The NAC has no record of it (never seen, or removed).'],
])("a device's own record is explained without a session: %j", async (endpoint, sentence) => {
  const findEndpoint = async () => endpoint;
  expect(told(await explain({ findEndpoint }, answersOf(NONE)))).toEqual([sentence]);
});

it("a device's record is asked for without a session alone", async () => {
  const findEndpoint = vi.fn(async () => undefined);
  await explain({ findEndpoint }, answersOf(REJECTED, ENDED, found()));
  expect(findEndpoint).not.toHaveBeenCalled();
  expect(await explain({ findEndpoint }, answersOf(NONE))).toEqual(answersOf(NONE));
});

it.each([
  ['shown', found()],
  ["not shown, if a person's own account saw it", own(found())],
])('the last known state is %s while the NAC does not answer', async (how, before) => {
  const recent = lookups.createRecentLookups(() => NOW);
  for (const outcome of [before, DOWN]) recent.note(PLACE, answersOf(outcome), NOW);
  const { text } = renderAnswer(await explain({ recent }, answersOf(DOWN)), READER);
  const isShown = text.includes('At 14:05 UTC it was connected, `alex`, `sw-floor2-17 Gi1/0/15`.');
  expect([isShown, text.includes('it was')]).toEqual(Array(2).fill(how === 'shown'));
});

it('attempts are listed while the NAC sees nobody', () => {
  const seen = { isNobodySeen: true as const, attempts: [FAILED] };
  const answers = answersOf(NONE).map((answer) => ({ ...answer, ...seen }));
  for (const all of [answers, [...answers, ...answersOf(found()).slice(0, 1)]])
    expect(renderAnswer(all, READER).text).toContain('86019 Gremlins');
});

it.each<[string, ReadonlyArray<DeviceAnswer['outcome']>, boolean | undefined, boolean]>([
  ['that it has none', [NONE], true, true],
  ['that it has some', [NONE], false, false],
  ['nothing', [NONE], undefined, false],
  ['that it has none, and finds one', [NONE, found()], true, true],
])('a NAC without sessions says so itself: it says %s', async (_, outcomes, isEmpty, isBlind) => {
  const node = 'https://nac.example.com/';
  const hasNoSessions = vi.fn(async () => isEmpty);
  const all = outcomes.map((each) => (each.kind === 'no session' ? { ...each, node } : each));
  const { text } = renderAnswer(await explain({ hasNoSessions }, answersOf(...all)), READER);
  expect(text.includes('The NAC has no active session at all.')).toBe(isBlind);
  expect(hasNoSessions.mock.calls).toEqual([[node, 'alex']]);
});

it.each(['192.0.2.7', 'user alex'])('a NAC without sessions says so after %s, too', async (address) => {
  const outcome = { ...NONE, node: 'https://nac.example.com/' } as const;
  const [answer] = await explain({ hasNoSessions: async () => true }, [answered(outcome, address)]);
  expect(answer?.isNobodySeen).toBe(true);
});
