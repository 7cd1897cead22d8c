import { describe, expect, it } from 'vitest';
import { renderAnswer } from '../../../dialogs/render/answer.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import type { Attempt } from '../../../src/domain/session.ts';
import { moreOf, wordsOf } from '../cards.ts';
import { answered, ENDED, found, NONE, NOW, READER, REJECTED } from '../outcomes.ts';

const DEVICE = '00:1B:54:00:00:07';
const NO_SESSION = `${DEVICE}: no session.`;
const PLUGGED = 'The NAC knows of no current session. Is the device plugged in and awake?';
const MAKER = 'Maker: Cisco Systems, Inc';
const TITLE = 'Last attempts (24 hours)';
const PLACE = { networkDevice: 'sw-1', port: '7' };
const TUNNEL = { networkDevice: 'wlc-1', port: 'capwap_90', wifi: { ssid: 'Crew' } }; // Its port is no place.
const MINUTE = 60_000;
const WRONG_IN_AD = " The machine's password is wrong in Active Directory (24485).";
const JOIN = 'Join the machine to the domain again.';

describe('the last attempts of a device without session', () => {
  it('follow the verdict: when, passed or failed, why, who and where', () => {
    const profile = { authorizationProfiles: 'Corp_Access' };
    const attempts = [failed(5, { user: 'alex' }), failed(9, { port: '8' }), passed(300, profile)];
    const { text, summary, card } = answerWith(attempts);
    const turn =
      'Last worked 5 hours ago on sw-1 7; since then on sw-1 8, rejected 2 times: the password is wrong (22040).';
    const lines = [
      '5 minutes ago: failed, the password is wrong (22040), alex, sw-1 7',
      '9 minutes ago: failed, the password is wrong (22040), sw-1 8',
      '5 hours ago: passed, Corp_Access, sw-1 7',
    ];
    const next = 'show mac address-table address 001b.5400.0007';
    expect(bare(text)).toEqual([`${NO_SESSION} ${turn}`, MAKER, `${TITLE}:`, ...lines]);
    expect(summary).toBe(`no session. ${turn} ${DEVICE}`);
    expect(wordsOf(card)).toEqual(['No session', DEVICE, turn, MAKER]);
    expect(wordsOf(moreOf(card))).toEqual(['On a switch', next, TITLE, ...lines]);
  });

  const EAST = { networkDevice: 'sw-east-2', port: 'Gi1/0/3', method: 'dot1x', user: 'lee', node: 'nac-1' };
  const worked = passed(180, { ...EAST, certificate: '4a 01' });

  it.each<[changes: string, after: Partial<Attempt>]>([
    [' on sw-quay-8 Gi1/0/44,', { networkDevice: 'sw-quay-8', port: 'Gi1/0/44' }],
    ['', {}],
    [' by MAB instead of 802.1X,', { method: 'mab', user: '00-1B-54-00-00-07' }],
    [' as sam,', { user: 'sam' }],
    [' with another certificate, through nac-2,', { certificate: 'x', node: 'nac-2' }],
  ])('are one sentence if they say all: since it worked%s', (changes, after) => {
    const { text, summary } = answerWith([failed(5, { ...EAST, ...after }), worked]);
    const turn = `Last worked 3 hours ago on sw-east-2 Gi1/0/3; since then${changes} rejected: the password is wrong (22040).`;
    expect(bare(text)).toEqual([`${NO_SESSION} ${turn}`, MAKER]);
    expect(summary).toBe(`no session. ${turn} ${DEVICE}`);
  });

  const wrong = 'on sw-1 7: the password is wrong (22040).';
  const UNKNOWN = { failureReason: undefined };
  const BROKE_OFF =
    'Did not finish 5 minutes ago on sw-1 7: the device broke off and started again (5440). Often it is roaming, or the link is poor.';
  const SUPPRESSED = `The NAC suppresses the device (5434), last 5 minutes ago ${wrong}`;
  const PERHAPS = 'Refused 5 minutes ago on sw-1 7: perhaps the password is wrong (22040).';
  const AGES = ['now', '1 minute ago'];
  const told = (ago: number, port = '7', why = 'the password is wrong (22040)') =>
    `${AGES[ago] ?? `${ago} minutes ago`}: failed, ${why}, sw-1 ${port}`;
  const IN_AD = 'password is wrong in Active Directory';
  const CODES = ['86019 Gremlins', '24485 Machine', '22040 Wrong password', '5411 Supplicant'];
  const CURED = `on sw-1 7: the machine's ${IN_AD} (24485). ${JOIN}`;

  it.each<[string, Attempts, first: string, lines?: string[]]>([
    ['not known are left out', undefined, PLUGGED],
    ['none are said to be none', [], PLUGGED, ['The NAC lists no attempt in the last 24 hours.']],
    ['one is told alone', [failed(5, { user: '00-1b-54-00-00-07' })], `Refused 5 minutes ago ${wrong}`],
    ['not finished are no refusals', [failed(5, { ...UNKNOWN, messageCode: '5440' })], BROKE_OFF],
    ['suppressed are no refusals', [5, 9].map((ago) => failed(ago, { messageCode: '5434' })), SUPPRESSED],
    ['without a reason are told by their steps', [failed(5, { ...UNKNOWN, steps: ['22040'] })], PERHAPS],
    ['passed at last', [passed(1, TUNNEL)], 'The last attempt passed 1 minute ago on wlc-1, Crew.'],
    [
      'equal are one line',
      [failed(5), failed(10, { node: 'nac-9' }), failed(15), failed(20, { port: 'Gi1/0/2' }), failed(25)],
      `Refused 5 times, last 5 minutes ago ${wrong}`,
      [`${told(5)} (4 times)`, told(20, 'Gi1/0/2')],
    ],
    [
      'many are five lines',
      [1, 2, 3, 4, 5, 6, 7].map((ago) => failed(ago, { port: `${ago}` })),
      'Refused 7 times, last 1 minute ago on sw-1 1: the password is wrong (22040).',
      [...[1, 2, 3, 4, 5].map((ago) => told(ago, `${ago}`))],
    ],
    ['little known are counted', [{ passed: false }, { passed: false }], 'Refused 2 times.'],
    ['of a code have its cure', [failed(5, { failureReason: '24485 x' })], `Refused 5 minutes ago ${CURED}`],
    [
      'of several codes have their meaning',
      CODES.map((failureReason, ago) => failed(ago, { failureReason })),
      'Refused 3 times, last now on sw-1 7: 86019 Gremlins.',
      [
        told(0, '7', CODES[0]),
        told(1, '7', `the machine's ${IN_AD} (24485)`),
        told(2),
        '3 minutes ago: did not finish, the device stopped answering (5411), sw-1 7',
      ],
    ],
  ])('that are %s', (_, attempts, first, lines = []) => {
    const { text, summary } = answerWith(attempts);
    const title = lines.length > 1 ? [`${TITLE}:`] : [];
    const listed = lines.length > 1 ? [MAKER, ...title, ...lines] : [...lines, MAKER];
    expect(bare(text)).toEqual([`${NO_SESSION} ${first}`, ...listed]);
    expect(summary?.startsWith(`no session. ${first.split('. ')[0]}`)).toBe(true);
  });
});

it.each<[string, Attempts, string[]]>([
  ['equal are one sentence', [failed(5), failed(6)], ['Refused 2 times, last 5 minutes ago on sw-1 7.']],
  [
    'of several kinds are lines',
    [failed(5), failed(6, { failureReason: '86019 x' })],
    [
      `${TITLE}:`,
      `5 minutes ago: failed, the password is wrong (22040), sw-1 7`,
      '6 minutes ago: failed, 86019 x, sw-1 7',
    ],
  ],
  [
    'that passed before are told in one sentence',
    [failed(5, { ...PLACE, port: 'Gi1/0/9' }), passed(60)],
    ['Last worked 1 hour ago on sw-1 7; since then on sw-1 Gi1/0/9, rejected.'],
  ],
])('the last attempts of a device with a session that %s', (_, attempts, lines) => {
  const { text, summary } = answerWith(attempts, REJECTED);
  expect(bare(text)).toEqual(expect.arrayContaining(lines));
  expect(summary?.split('\n')[1]).toMatch(/^(?:Refused 2 times, last 5 minutes|Last worked 1 hour) ago/);
  expect(text.match(/[Tt]he password is wrong/g)).toHaveLength(lines.length > 1 ? 2 : 1);
});

it('the only attempt of a session is not repeated', () => {
  const { text } = answerWith([failed(5)], REJECTED);
  expect(text).not.toMatch(/Refused|attempt|\n {2}\n/); // Nor by an empty line.
});

it("a device rejected after its session's end has a reason", () => {
  const { text } = answerWith([failed(5), passed(60)], ENDED);
  expect(text).toContain('; since then rejected: the password is wrong (22040).');
});

it('several devices have their newest attempt in their rows', () => {
  const { text } = answerWith([failed(5), failed(6)], REJECTED, NONE);
  expect(text).toMatch(/: rejected\. The password .*\. Rule `\w+`\. Refused 2 times, last .*, 2 hours ago/);
  expect(text).toContain('`: no session. Refused 2 times, last 5 minutes ago on `sw-1 7`: the');
});

it.each<[string, string, object, string, string?]>([
  ['its cause with the code, then its cure', '0', { failure_reason: '24485 Machine' }, WRONG_IN_AD, JOIN],
  ['a step that says it', '24408', {}, ' The password is wrong in Active Directory (24408).'],
  ['a step that may say it', '22040', {}, ' Perhaps the password is wrong (22040).'],
  ['nothing, if its steps say nothing', '86019', {}, ''],
  ['the words of the NAC, if the code is unknown', '0', { failure_reason: '86019 x' }, ' 86019 x.'],
])('a rejection is described by %s', (_, step, reason, cause, cure) => {
  const execution_steps = `11001,${step},11003`;
  const { text } = answerWith(undefined, found({ passed: 'false', execution_steps, ...reason }));
  const said = `rejected.${cause} Rule Basic_Authenticated_Access.${cure ? ` ${cure}` : ''}`;
  expect(bare(text)[0]).toBe(`${DEVICE}: ${said}`);
  expect(text).not.toContain('Why:');
});

function passed(minutesAgo: number, changes: Partial<Attempt> = {}): Attempt {
  return { passed: true, lastSignAt: NOW - minutesAgo * MINUTE, ...PLACE, ...changes };
}

it('a suppression that a step alone tells is explained once', () => {
  const { text } = answerWith(undefined, found({ passed: 'false', execution_steps: '11003,5449' }));
  expect(text.match(/failed again and again/g)).toHaveLength(1);
});

function failed(minutesAgo: number, changes: Partial<Attempt> = {}): Attempt {
  const lastSignAt = NOW - minutesAgo * MINUTE;
  return { passed: false, lastSignAt, failureReason: '22040 Wrong password', ...PLACE, ...changes };
}

type Attempts = readonly Attempt[] | undefined;

function answerWith(attempts: Attempts, ...outcomes: LookupOutcome[]) {
  const answers = (outcomes.length > 0 ? outcomes : [NONE]).map((outcome, index) => {
    return { ...answered(outcome, `00:1B:54:00:00:0${7 + index}`), ...(attempts && { attempts }) };
  });
  return renderAnswer(answers, READER);
}

function bare(text: string): string[] {
  return text.split('\n').map((each) => each.trimEnd().replaceAll('`', ''));
}
