import { describe, expect, it, vi } from 'vitest';
import type { DeviceAnswer } from '../../../dialogs/lookup/device-answer.ts';
import { createExplanations, type ExplainOptions } from '../../../dialogs/lookup/explain.ts';
import type { Attempt } from '../../../src/domain/attempts.ts';
import type { DeviceAddress } from '../../../src/domain/device-address.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { wordsOf } from '../cards.ts';
import { found, NOW, type Script, stageLookup } from '../commands/lookup-stage.ts';

const DEVICE = '00:1B:54:00:00:07';
const NONE: LookupOutcome = { kind: 'no session' };
const REJECTED = found({ passed: 'false', failure_reason: '22040 Wrong password' });
const STOP = { acct_status_type: 'Stop', acct_acs_timestamp: '2026-01-15T13:05:00.000Z' };
const NO_SESSION = `${DEVICE}: no session. The NAC knows of no current session. Is the device plugged in and awake?`;
const NO_SESSION_SUMMARY = `no session. The NAC knows of no current session. Is the device plugged in and awake? ${DEVICE}`;
const ENDED = found({ more: STOP });
const FAILED: Attempt = { passed: false, failureReason: '86019 Gremlins' };
const TITLE = 'Last attempts (24 hours)';
const PLACE = { networkDevice: 'sw-1', port: 'Gi1/0/1' };
const MINUTE = 60_000;
describe('the last attempts of a device without session', () => {
  it('follow the verdict: when, passed or failed, why, who and where', async () => {
    const { text, summary, card } = await answerWith([
      failed(5, { user: 'alex' }),
      { passed: true, at: NOW - 300 * MINUTE, authorizationProfiles: 'Corp_Access', ...PLACE },
    ]);
    const lines = [
      '5 minutes ago: failed, 22040 Wrong password, alex, sw-1, Gi1/0/1',
      '5 hours ago: passed, Corp_Access, sw-1, Gi1/0/1',
      '22040: The password is wrong.',
    ];
    expect(bare(text)).toEqual([NO_SESSION, `${TITLE}:`, ...lines, 'Maker: Cisco Systems, Inc']);
    expect(summary).toBe(`${NO_SESSION_SUMMARY}\nLast attempt: 5 minutes ago, failed, 22040 Wrong password.`);
    expect(wordsOf(card).slice(1)).toEqual([
      NO_SESSION.slice(DEVICE.length + ': no session. '.length),
      DEVICE,
      TITLE,
      ...lines,
      'On a switch: 001b.5400.0007',
      'Maker: Cisco Systems, Inc',
    ]);
  });

  const reasons = ['24485 Machine', '86019 Gremlins', '22040 Wrong password', '5411 Supplicant'];
  const minutes = (ago: number) => (ago === 1 ? '1 minute ago' : `${ago} minutes ago`);
  const told = (ago: number, times = '', port = 'Gi1/0/1', why = reasons[2]) =>
    `${ago === 0 ? 'now' : minutes(ago)}: failed${times}, ${why}, sw-1, ${port}`;
  const CAUSE = '22040: The password is wrong.';

  it.each<[string, Attempts, string[]]>([
    ['not known are left out', undefined, []],
    ['none are said to be none', [], ['The NAC lists no attempt in the last 24 hours.']],
    [
      'equal and in a row are one line',
      [...[5, 10, 15].map((ago) => failed(ago)), failed(20, { port: 'Gi1/0/2' }), failed(25)],
      [told(5, ' 3 times since 15 Jan 2026, 13:50 UTC'), told(20, '', 'Gi1/0/2'), told(25), CAUSE],
    ],
    [
      'many are five lines',
      [1, 2, 3, 4, 5, 6, 7].map((ago) => failed(ago, { port: String(ago) })),
      [...[1, 2, 3, 4, 5].map((ago) => told(ago, '', String(ago))), CAUSE],
    ],
    [
      'little known are lines nevertheless',
      [{ passed: false }, { passed: false }, { passed: true }],
      ['failed 2 times', 'passed'],
    ],
    [
      "of the device's own address name no user",
      [failed(5, { user: '00-1b-54-00-00-07' })],
      [told(5), CAUSE],
    ],
    [
      'of several codes are followed by what two mean, with the cure',
      reasons.map((failureReason, ago) => failed(ago, { failureReason })),
      [
        ...reasons.map((why, ago) => told(ago, '', 'Gi1/0/1', why)),
        "24485: The machine's password is wrong in Active Directory. Join the machine to the domain again.",
        CAUSE,
      ],
    ],
  ])('that are %s', async (_, attempts, lines) => {
    const { text, summary } = await answerWith(attempts);
    const title = attempts?.length ? [`${TITLE}:`] : [];
    expect(bare(text)).toEqual([NO_SESSION, ...title, ...lines, 'Maker: Cisco Systems, Inc']);
    expect(summary?.includes('\nLast attempt: ')).toBe(title.length > 0);
  });

  it('are not posted to the room', async () => {
    const stage = staged([failed(5)], REJECTED);
    await stage.ask(DEVICE);
    expect(stage.posts).toMatchObject([{ text: `${DEVICE}\nCorp_Wired_Access\nBasic_Authenticated_Access` }]);
  });
});

describe('the last attempts of a device with a session', () => {
  it.each([
    ['rejected', REJECTED],
    ['ended', found({ more: { ...STOP, note: 'Dock_3' } })],
  ])('that is %s stand after the reasons, before the tokens', async (_, outcomes) => {
    const { text, summary = '', card } = await answerWith([failed(5), failed(6)], outcomes);
    for (const words of [bare(text), wordsOf(card)]) {
      const [title, tokens] = [TITLE, 'Tokens'].map((label) =>
        words.findIndex((each) => each.startsWith(label)),
      );
      const rule = words.findIndex((each) => each.startsWith('Identity group'));
      expect(rule).toBeGreaterThan(0);
      expect(title).toBeGreaterThan(rule);
      expect(tokens).toBeGreaterThan(title ?? 0);
    }
    expect(summary.split('\n')[1]).toMatch(/^Last attempt: 5 minutes ago, failed 2 times since /);
  });

  it('do not explain the reason again that the verdict explains', async () => {
    const { text } = await answerWith([failed(5)], REJECTED);
    expect(text.match(/The password is wrong\./g)).toHaveLength(1);
  });
});

describe('the last attempts of several devices', () => {
  it('are told by the newest of each, in its row', async () => {
    const stage = staged([failed(5), failed(6)], { [DEVICE]: REJECTED });
    const { text } = await stage.answer(`${DEVICE} 00:1B:54:00:00:08`);
    const newest =
      'Last attempt: 5 minutes ago, failed 2 times since 15 Jan 2026, 13:59 UTC, 22040 Wrong password.';
    expect(bare(text)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/: rejected\. The password is wrong\. .*, 2 hours ago\. Last attempt: /),
        `00:1B:54:00:00:08: no session. The NAC knows of no current session. Is the device plugged in and awake? ${newest}`,
      ]),
    );
  });
});

describe('a rejection', () => {
  it('is told by its cause, then its cure', async () => {
    const outcomes = found({ passed: 'false', failure_reason: '24485 Machine authentication failed' });
    const { text, summary } = await answerWith(undefined, outcomes);
    const cause = "The machine's password is wrong in Active Directory.";
    expect(bare(text)[0]).toBe(`${DEVICE}: rejected. ${cause}`);
    expect(bare(text)).toContain('Why: 24485 Machine authentication failed');
    expect(bare(text)).toContain('Join the machine to the domain again.');
    expect(summary).toContain(`rejected. ${cause} `);
  });

  it.each([
    [
      'its steps, if there is no reason',
      '24408',
      undefined,
      ' Possible cause: the password is wrong in Active Directory.',
    ],
    [
      'its steps',
      '24485',
      undefined,
      " Possible cause: the machine's password is wrong in Active Directory.",
    ],
    ['nothing, if its steps say nothing', '86019', undefined, ''],
    ['the words of the NAC, once, if we do not know the code', '0', '86019 Gremlins', ' 86019 Gremlins.'],
  ])('is told by %s: %s', async (_, step, failure_reason, cause) => {
    const more = { execution_steps: `11001,${step},11003` };
    const { text } = await answerWith(
      undefined,
      found({ passed: 'false', more, ...(failure_reason && { failure_reason }) }),
    );
    expect(bare(text)[0]).toBe(`${DEVICE}: rejected.${cause}`);
    expect(text.match(/Gremlins/g) ?? []).toHaveLength(failure_reason ? 1 : 0);
  });
});

describe('the last attempts of an answer', () => {
  it.each<[string, boolean, DeviceAnswer['outcome']]>([
    ['has no session', true, NONE],
    ['is rejected', true, REJECTED],
    ['is ended', true, ENDED],
    ['is connected', false, found()],
    ['is in quarantine', false, found({ other: { EPSStatus: 'Quarantine' } })],
    ['could not be asked about', false, { kind: 'busy' }],
    ['is none', false, { kind: 'broadcast' }],
  ])('are asked for if a device needs them: one that %s (%s)', async (_, isAsked, outcome) => {
    const answers = answersOf(outcome);
    const explained = await explain({ history: async () => [FAILED] }, answers);
    if (isAsked) expect(explained).toMatchObject([{ attempts: [FAILED] }]);
    else expect(explained).toBe(answers);
  });

  it('are asked for at most five devices, the worst first', async () => {
    const outcomes = [ENDED, ENDED, found(), NONE, NONE, REJECTED, REJECTED, NONE];
    expect(await askedFor(answersOf(...outcomes))).toBe('6 7 4 5 8');
  });

  it('are asked for by the MAC address alone', async () => {
    const [none, rejected] = answersOf(NONE, REJECTED).map((each) => ({ ...each, asked: IP }));
    expect(none && rejected && (await askedFor([{ ...none, address: IP }, rejected]))).toBe('2');
  });

  it('are not asked for if they are turned off', async () => {
    const answers = answersOf(NONE);
    expect(await explain({ history: undefined }, answers)).toBe(answers);
  });

  it('may take 2.5 s, and are left out if they have not come', async () => {
    const history = vi.fn(async (address: string) => (address.endsWith('1') ? [FAILED] : undefined));
    const answers = answersOf(NONE, NONE);
    const [first, second] = await explain({ history }, answers);
    expect(first?.attempts).toEqual([FAILED]);
    expect(second).not.toHaveProperty('attempts');
    expect(history.mock.calls).toEqual(answers.map(({ address }) => [address, 'alex', 2500]));
  });

  it('are left out if a bug broke them', async () => {
    const errors: unknown[] = [];
    const history = () => Promise.reject(new Error('a bug'));
    const answers = answersOf(REJECTED);
    const told = explain({ history, onError: (error) => errors.push(error) }, answers);
    expect(await told).toBe(answers);
    expect(errors).toMatchObject([{ message: 'a bug' }]);
  });
});

const IP = '192.0.2.7' as DeviceAddress;

function onError(error: unknown): void {
  throw error;
}

function explain(options: Partial<ExplainOptions>, answers: readonly DeviceAnswer[]) {
  const off = { history: undefined, findEndpoint: undefined, now: () => NOW, onError };
  return createExplanations({ ...off, ...options }).explain(answers, 'alex');
}

/** The last digits of the addresses whose attempts are asked for. */
async function askedFor(answers: readonly DeviceAnswer[]): Promise<string> {
  const asked: string[] = [];
  const history = async (address: string) => {
    asked.push(address.slice(-1));
    return undefined;
  };
  await explain({ history }, answers);
  return asked.join(' ');
}

function answersOf(...outcomes: ReadonlyArray<DeviceAnswer['outcome']>): DeviceAnswer[] {
  return outcomes.map((outcome, index) => {
    const address = `00:1B:54:00:00:0${index + 1}` as DeviceAddress;
    return { asked: address, address, outcome };
  });
}

function failed(minutesAgo: number, changes: Partial<Attempt> = {}): Attempt {
  const at = NOW - minutesAgo * MINUTE;
  return { passed: false, at, failureReason: '22040 Wrong password', ...PLACE, ...changes };
}

type Attempts = readonly Attempt[] | undefined;

function staged(attempts: Attempts, outcomes: Required<Script>['outcomes'] = NONE) {
  return stageLookup({ outcomes, explain: { history: async () => attempts } });
}

function answerWith(attempts: Attempts, outcomes: LookupOutcome = NONE) {
  return staged(attempts, outcomes).answer(DEVICE);
}

/** The lines of a text, without code spans. */
function bare(text: string): string[] {
  return text.split('\n').map((each) => each.trimEnd().replaceAll('`', ''));
}
