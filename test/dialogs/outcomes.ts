import type { HttpFault, LookupOutcome, TrustFault } from '../../src/domain/outcome.ts';
import { found } from './commands/lookup-stage.ts';

const STOP = {
  acct_status_type: 'Stop',
  acct_acs_timestamp: '2026-01-15T13:05:00.000Z',
  acct_terminate_cause: 'User Request',
};

const NINE = Date.UTC(2026, 0, 15, 21, 0);

type Row = [name: string, outcome: LookupOutcome, sentence: string];

const silent = (fault: HttpFault): LookupOutcome => ({ kind: 'no answer', fault });
const CHECK_ACCOUNT = 'Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD.';
const MAY_NOT =
  'the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.';
const LEFT_ALONE = `I leave them alone for 7 hours more, so that the account does not get locked. ${CHECK_ACCOUNT}`;
const REFUSED = "credentials refused. The NAC does not accept the bot's user name and password (401).";

const UNUSABLE: ReadonlyArray<[outcome: LookupOutcome, why: string, advice?: string]> = [
  [silent({ kind: 'too large', maxBytes: 1 }), 'too large (over 1 MB)'],
  [silent({ kind: 'cut off' }), 'it was cut off before its end'],
  [silent({ kind: 'timed out', timeoutMs: 6000, begun: true }), 'it began but did not end in time'],
  [{ kind: 'unusable', reason: 'cut off' }, 'it was cut off before its end'],
  [
    { kind: 'unusable', reason: 'login page' },
    'a login page came instead of a session',
    'Whoever runs the bot can check whether NAC_URL names the monitoring node.',
  ],
  [{ kind: 'unusable', reason: 'unknown' }, 'it holds no session in a form that I know'],
];

const UNTRUSTED: ReadonlyArray<[reason: TrustFault, why: string]> = [
  ['not acceptable', 'the bot does not trust the certificate of the NAC (not acceptable)'],
  ['unknown authority', 'the certificate of the NAC comes from an authority that the bot does not trust'],
  ['wrong host name', 'the bot does not trust the certificate of the NAC (issued for another host name)'],
  ['expired', 'the bot does not trust the certificate of the NAC (expired or not yet valid)'],
  ['wrong pin', 'the certificate of the NAC does not match its pin'],
  ['no common TLS', 'the TLS handshake with the NAC failed, so the bot cannot trust the connection'],
];

/** Every outcome without a session, and the sentence after the address. */
export const WITHOUT_SESSION: readonly Row[] = [
  [
    'no session',
    { kind: 'no session' },
    'no session. The NAC knows of no current session. Is the device plugged in and awake?',
  ],
  [
    "the person's credentials refused",
    { kind: 'refused', whose: 'person' },
    'credentials refused. The NAC does not accept your user name and password (401), so I have forgotten them. Type `connect` to give them again.',
  ],
  [
    "the bot's credentials refused",
    { kind: 'refused', whose: 'service', restsUntil: undefined },
    `${REFUSED} ${CHECK_ACCOUNT}`,
  ],
  [
    "the bot's credentials refused, and resting",
    { kind: 'refused', whose: 'service', restsUntil: NINE },
    `${REFUSED} I do not try them again for 7 hours. ${CHECK_ACCOUNT}`,
  ],
  [
    'credentials at rest',
    { kind: 'resting', until: NINE },
    `not asked. The NAC refused the bot's credentials. ${LEFT_ALONE}`,
  ],
  [
    'too many that wait',
    { kind: 'busy' },
    'not asked. Too many lookups are waiting for the NAC. Please try again in a minute.',
  ],
  [
    'a person who left',
    { kind: 'disconnected' },
    'not asked. You disconnected while this lookup waited. Please ask again; the account of the bot is used then.',
  ],
  [
    'a NAC that is left alone',
    { kind: 'paused', until: NINE, isForAll: true },
    'not asked. The NAC failed several times in a row. I leave it alone for 7 hours more.',
  ],
  [
    'a NAC that is silent to one asker',
    { kind: 'paused', until: NINE, isForAll: false },
    'not asked. The NAC gave no answer about the last five devices that you asked for. I ask for you again in 7 hours.',
  ],
  [
    'the person not allowed',
    { kind: 'forbidden', whose: 'person' },
    `not allowed. The NAC knows your account, but ${MAY_NOT}`,
  ],
  [
    'the bot not allowed',
    { kind: 'forbidden', whose: 'service' },
    `not allowed. The NAC knows the bot's account, but ${MAY_NOT}`,
  ],
  [
    'a fault',
    { kind: 'fault', status: 500 },
    'the NAC reported a fault (HTTP status 500). Please ask those who run the NAC.',
  ],
  ...UNUSABLE.map(
    ([outcome, why, advice = 'Please ask those who run the NAC.']): Row => [
      `an unusable answer: ${why}`,
      outcome,
      `the NAC's answer was not usable: ${why}. ${advice}`,
    ],
  ),
  [
    'a time-out',
    silent({ kind: 'timed out', timeoutMs: 6000, begun: false }),
    'time-out. The NAC did not answer within 6 s.',
  ],
  ...UNTRUSTED.map(
    ([reason, why]): Row => [
      `no trust: ${reason}`,
      silent({ kind: 'untrusted', reason }),
      `not asked, because ${why}. Whoever runs the bot can check NAC_TLS.`,
    ],
  ),
  [
    'nothing',
    silent({ kind: 'unreachable', code: 'ECONNREFUSED' }),
    'the NAC could not be reached. The NAC or the network between is down, or NAC_URL is wrong.',
  ],
];

/** Every verdict on a session, and an outcome that has it. */
export const WITH_SESSION: ReadonlyArray<[verdict: string, outcome: LookupOutcome, meaning?: string]> = [
  ['connected', found()],
  [
    'rejected',
    found({ passed: 'false', failure_reason: '22040 Wrong password or invalid shared secret' }),
    'The password is wrong.',
  ],
  ['ended', found({ more: STOP }), '15 Jan 2026, 13:05 UTC (1 hour ago), cause: User Request.'],
  ['quarantined', found({ other: { EPSStatus: 'Quarantine' } })],
  ['quarantined', found({ other: { ANCPolicy: 'Quarantine Guests' } }), 'By Quarantine Guests.'],
  ['web login: waiting', redirected('cwa')],
  ['posture: waiting', redirected('cpp')],
  ['onboarding: waiting', redirected('nsp')],
  ['device management: waiting', redirected('mdm')],
  ['portal: waiting', redirected('')],
  ['connected, posture pending', found({ other: { PostureStatus: 'Pending' } })],
  ['connected, not compliant', found({ other: { PostureStatus: 'NonCompliant' } })],
  ['session found', { kind: 'found', tokens: ['Corp_Access'], record: {}, text: '' }],
];

function redirected(action: string): LookupOutcome {
  const address = `https://nac.example.com:8443/portal/gateway?sessionId=0A&amp;action=${action}`;
  return found({ more: { response: `{Class=CACS; cisco-av-pair=url-redirect=${address}; }` } });
}
