import type { LookupOutcome } from '../../src/domain/outcome.ts';
import { found } from './commands/lookup-stage.ts';

const STOP = {
  acct_status_type: 'Stop',
  acct_acs_timestamp: '2026-01-15T13:05:00.000Z',
  acct_terminate_cause: 'User Request',
};

const NINE = Date.UTC(2026, 0, 15, 21, 0);

/** Every outcome without a session, and the sentence after the address. */
export const WITHOUT_SESSION: ReadonlyArray<[name: string, outcome: LookupOutcome, sentence: string]> = [
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
    "credentials refused. The NAC does not accept the bot's user name and password (401). Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD.",
  ],
  [
    "the bot's credentials refused, and resting",
    { kind: 'refused', whose: 'service', restsUntil: NINE },
    "credentials refused. The NAC does not accept the bot's user name and password (401). I do not try them again for 7 hours. Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD.",
  ],
  [
    'credentials at rest',
    { kind: 'resting', until: NINE },
    "not asked. The NAC refused the bot's credentials. I leave them alone for 7 hours more, so that the account does not get locked. Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD.",
  ],
  [
    'too many that wait',
    { kind: 'busy' },
    'not asked. Too many lookups are waiting for the NAC. Please try again in a minute.',
  ],
  [
    'a NAC that is left alone',
    { kind: 'paused', until: NINE, isForAll: true },
    'not asked. The NAC failed several times in a row. I leave it alone for 7 hours more.',
  ],
  [
    'the person not allowed',
    { kind: 'forbidden', whose: 'person' },
    'not allowed. The NAC knows your account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.',
  ],
  [
    'the bot not allowed',
    { kind: 'forbidden', whose: 'service' },
    "not allowed. The NAC knows the bot's account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.",
  ],
  [
    'a fault',
    { kind: 'fault', status: 500 },
    'the NAC reported a fault (HTTP status 500). Please ask those who run the NAC.',
  ],
  [
    'an answer too large',
    { kind: 'no answer', fault: { kind: 'too large', maxBytes: 1 } },
    "the NAC's answer was not usable: too large (over 1 MB). Please ask those who run the NAC.",
  ],
  [
    'an answer cut off',
    { kind: 'unusable', reason: 'cut off' },
    "the NAC's answer was not usable: it was cut off before its end. Please ask those who run the NAC.",
  ],
  [
    'an endless answer',
    { kind: 'no answer', fault: { kind: 'timed out', timeoutMs: 6000, begun: true } },
    "the NAC's answer was not usable: it began but did not end in time. Please ask those who run the NAC.",
  ],
  [
    'a login page',
    { kind: 'unusable', reason: 'login page' },
    "the NAC's answer was not usable: a login page came instead of a session. Whoever runs the bot can check whether NAC_URL names the monitoring node.",
  ],
  [
    'an unknown form',
    { kind: 'unusable', reason: 'unknown' },
    "the NAC's answer was not usable: it holds no session in a form that I know. Please ask those who run the NAC.",
  ],
  [
    'a time-out',
    { kind: 'no answer', fault: { kind: 'timed out', timeoutMs: 6000, begun: false } },
    'time-out. The NAC did not answer within 6 s.',
  ],
  [
    'a certificate that is not acceptable',
    { kind: 'no answer', fault: { kind: 'untrusted', reason: 'not acceptable' } },
    'not asked, because the bot does not trust the certificate of the NAC (not acceptable). Whoever runs the bot can check NAC_TLS.',
  ],
  [
    'a certificate of an unknown authority',
    { kind: 'no answer', fault: { kind: 'untrusted', reason: 'unknown authority' } },
    'not asked, because the certificate of the NAC comes from an authority that the bot does not trust. Whoever runs the bot can check NAC_TLS.',
  ],
  [
    'a certificate for another host',
    { kind: 'no answer', fault: { kind: 'untrusted', reason: 'wrong host name' } },
    'not asked, because the bot does not trust the certificate of the NAC (issued for another host name). Whoever runs the bot can check NAC_TLS.',
  ],
  [
    'an expired certificate',
    { kind: 'no answer', fault: { kind: 'untrusted', reason: 'expired' } },
    'not asked, because the bot does not trust the certificate of the NAC (expired or not yet valid). Whoever runs the bot can check NAC_TLS.',
  ],
  [
    'a certificate that is not the pinned one',
    { kind: 'no answer', fault: { kind: 'untrusted', reason: 'wrong pin' } },
    'not asked, because the certificate of the NAC does not match its pin. Whoever runs the bot can check NAC_TLS.',
  ],
  [
    'no common TLS',
    { kind: 'no answer', fault: { kind: 'untrusted', reason: 'no common TLS' } },
    'not asked, because the TLS handshake with the NAC failed, so the bot cannot trust the connection. Whoever runs the bot can check NAC_TLS.',
  ],
  [
    'nothing',
    { kind: 'no answer', fault: { kind: 'unreachable', code: 'ECONNREFUSED' } },
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
