import { describe, expect, it } from 'vitest';
import { createExplain, type ExplainOptions } from '../../../dialogs/lookup/attempts.ts';
import type { DeviceAnswer } from '../../../dialogs/lookup/device-answer.ts';
import type { DeviceAddress } from '../../../src/domain/device-address.ts';
import type { MacAddress } from '../../../src/domain/mac-address.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import type { Attempt } from '../../../src/domain/record.ts';
import { found } from '../commands/lookup-stage.ts';

const NONE: LookupOutcome = { kind: 'no session' };
const REJECTED = found({ passed: 'false', failure_reason: '22040 Wrong password' });
const ENDED = found({
  more: { acct_status_type: 'Stop', acct_acs_timestamp: '2026-01-15T13:05:00.000Z' },
});
const FAILED: Attempt = { passed: false, failureReason: '86019 Gremlins' };

describe('the last attempts', () => {
  it.each([
    ['no session', NONE],
    ['rejected', REJECTED],
    ['ended', ENDED],
  ])('are asked for if a device is %s', async (_, outcome) => {
    const { explain } = stage({ history: async () => [FAILED] });
    expect(await explain(answersOf(outcome), 'alex')).toMatchObject([{ attempts: [FAILED] }]);
  });

  it.each<[string, DeviceAnswer['outcome']]>([
    ['is connected', found()],
    ['is in quarantine', found({ other: { EPSStatus: 'Quarantine' } })],
    ['could not be asked about', { kind: 'no answer', fault: { kind: 'unreachable', code: 'ECONNREFUSED' } }],
    ['is none', { kind: 'broadcast' }],
  ])('are not asked for if a device %s: the answer is the same, at once', async (_, outcome) => {
    const { explain, asked } = stage();
    const answers = answersOf(outcome);
    expect(await explain(answers, 'alex')).toBe(answers);
    expect(asked).toEqual([]);
  });

  it('are asked for at most five devices, the worst first', async () => {
    const { explain, asked } = stage();
    await explain(answersOf(ENDED, ENDED, found(), NONE, NONE, REJECTED, REJECTED, NONE), 'alex');
    expect(asked).toEqual(['history 6', 'history 7', 'history 4', 'history 5', 'history 8']);
  });

  it('are asked for by the MAC address alone', async () => {
    const { explain, asked } = stage();
    const [ip] = ['192.0.2.7'] as DeviceAddress[];
    const answers = answersOf(NONE, REJECTED).map((answer) => ({ ...answer, asked: ip ?? answer.asked }));
    const [none, rejected] = answers;
    if (none && rejected) await explain([{ ...none, address: none.asked }, rejected], 'alex');
    expect(asked).toEqual(['history 2']);
  });

  it('are not asked for if they are turned off', async () => {
    const { explain } = stage({ history: undefined });
    const answers = answersOf(NONE);
    expect(await explain(answers, 'alex')).toBe(answers);
  });
});

describe('an explanation', () => {
  it('may take 2.5 s, and leaves out what has not come', async () => {
    const waits: number[] = [];
    const { explain } = stage({
      async history(address, _person, withinMs) {
        waits.push(withinMs);
        return address.endsWith('1') ? [FAILED] : undefined;
      },
    });
    const [first, second] = await explain(answersOf(NONE, NONE), 'alex');
    expect(first?.attempts).toEqual([FAILED]);
    expect(second).not.toHaveProperty('attempts');
    expect(waits).toEqual([2500, 2500]);
  });

  it('leaves out what a bug broke', async () => {
    const { explain, errors } = stage({ history: () => Promise.reject(new Error('a bug')) });
    const answers = answersOf(REJECTED);
    expect(await explain(answers, 'alex')).toBe(answers);
    expect(errors).toMatchObject([{ message: 'a bug' }]);
  });
});

function answersOf(...outcomes: ReadonlyArray<DeviceAnswer['outcome']>): DeviceAnswer[] {
  return outcomes.map((outcome, index) => {
    const address = `00:1B:54:00:00:0${index + 1}` as MacAddress;
    return { asked: address, address, outcome };
  });
}

function stage(script: Partial<ExplainOptions> = {}) {
  const asked: string[] = [];
  const errors: unknown[] = [];
  const explain = createExplain({
    async history(address) {
      asked.push(`history ${address.at(-1)}`);
      return undefined;
    },
    onError: (error) => void errors.push(error),
    ...script,
  });
  return { explain, asked, errors };
}
