import { readerFor } from '../../dialogs/format/words.ts';
import type { DeviceAnswer } from '../../dialogs/lookup/device-answer.ts';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { HttpFault, LookupOutcome, TrustFault } from '../../src/domain/outcome.ts';
import { found, NONE, NOW } from './commands/lookup-stage.ts';

export const STOP = {
  acct_status_type: 'Stop',
  acct_acs_timestamp: '2026-01-15T13:05:00.000Z',
  acct_terminate_cause: 'User Request',
};

const NINE = Date.UTC(2026, 0, 15, 21, 0);
const paused = (isForAll: boolean): LookupOutcome => ({ kind: 'paused', until: NINE, isForAll });
const refused = (restsUntil: number | undefined) =>
  ({ kind: 'refused', whose: 'service', restsUntil }) as const;
const silent = (fault: HttpFault): LookupOutcome => ({ kind: 'no answer', fault });
const timedOut = (begun: boolean) => silent({ kind: 'timed out', timeoutMs: 6000, begun });
const CHECK = 'Whoever runs the bot can check';
const CHECK_ACCOUNT = `${CHECK} NAC_USERNAME and NAC_PASSWORD, and that the account has a monitoring role (MnT Admin).`;
const MAY_NOT =
  'the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.';
const REFUSED = "credentials refused. The NAC does not accept the bot's user name and password (401).";
const ASK = 'Please ask those who run the NAC.';
const unusable = (why: string, advice = ASK) => `the NAC's answer was not usable: ${why}. ${advice}`;
const untrusted = (why: string) => `not asked, because ${why}. ${CHECK} NAC_TLS.`;
const NOT_TRUSTED = 'the bot does not trust the certificate of the NAC';

/** Every outcome without a session, and the sentence after the address. */
export const WITHOUT_SESSION: ReadonlyArray<[sentence: string, outcome: LookupOutcome]> = [
  ['no session. The NAC knows of no current session. Is the device plugged in and awake?', NONE],
  [
    'credentials refused. The NAC does not accept your user name and password (401), so I have forgotten them: they are wrong, or your account has no monitoring role. Type `connect` to give them again.',
    { kind: 'refused', whose: 'person' },
  ],
  [`${REFUSED} ${CHECK_ACCOUNT}`, refused(undefined)],
  [`${REFUSED} I do not try them again for 7 hours. ${CHECK_ACCOUNT}`, refused(NINE)],
  [
    `not asked. The NAC refused the bot's credentials. I leave them alone for 7 hours more, so that the account does not get locked. ${CHECK_ACCOUNT}`,
    { kind: 'resting', until: NINE },
  ],
  ['not asked. Too many lookups are waiting for the NAC. Please try again in a minute.', { kind: 'busy' }],
  [
    'not asked. You disconnected while this lookup waited. Please ask again; the account of the bot is used then.',
    { kind: 'disconnected' },
  ],
  ['not asked. The NAC failed several times in a row. I leave it alone for 7 hours more.', paused(true)],
  [
    'not asked. The NAC gave no answer about the last five devices that you asked for. I ask for you again in 7 hours.',
    paused(false),
  ],
  [`not allowed. The NAC knows your account, but ${MAY_NOT}`, { kind: 'forbidden', whose: 'person' }],
  [`not allowed. The NAC knows the bot's account, but ${MAY_NOT}`, { kind: 'forbidden', whose: 'service' }],
  [`the NAC reported a fault (HTTP status 500). ${ASK}`, { kind: 'fault', status: 500 }],
  [unusable('too large (over 1 MB)'), silent({ kind: 'too large', maxBytes: 1 })],
  [unusable('it was cut off before its end'), silent({ kind: 'cut off' })],
  [unusable('it began but did not end in time'), timedOut(true)],
  [unusable('it was cut off before its end'), { kind: 'unusable', reason: 'cut off' }],
  [
    unusable('a login page came instead of a session', `${CHECK} whether NAC_URL names the monitoring node.`),
    { kind: 'unusable', reason: 'login page' },
  ],
  [unusable('it holds no session in a form that I know'), { kind: 'unusable', reason: 'unknown' }],
  ['time-out. The NAC did not answer within 6 s.', timedOut(false)],
  ...Object.entries<string>({
    'not acceptable': `${NOT_TRUSTED} (not acceptable)`,
    'unknown authority': 'the certificate of the NAC comes from an authority that the bot does not trust',
    'wrong host name': `${NOT_TRUSTED} (issued for another host name)`,
    expired: `${NOT_TRUSTED} (expired or not yet valid)`,
    'wrong pin': 'the certificate of the NAC does not match its pin',
    'no common TLS': 'the TLS handshake with the NAC failed, so the bot cannot trust the connection',
  } satisfies Record<TrustFault, string>).map(([reason, why]): [string, LookupOutcome] => [
    untrusted(why),
    silent({ kind: 'untrusted', reason: reason as TrustFault }),
  ]),
  [
    'the NAC could not be reached. The NAC or the network between is down, or NAC_URL is wrong.',
    silent({ kind: 'unreachable', code: 'ECONNREFUSED' }),
  ],
];

export const own = (outcome: LookupOutcome) => ({ ...outcome, account: 'person' }) as LookupOutcome;

export const REJECTED = found({ passed: 'false', failure_reason: '22040 Wrong password' });
export const ENDED = found(STOP);
const CHAINED = { EapChainingResult: 'User failed and machine succeeded' };

/** Every verdict on a session, and an outcome that has it. */
export const WITH_SESSION: ReadonlyArray<[verdict: string, outcome: LookupOutcome, meaning?: string]> = [
  ['connected', found()],
  ['rejected', REJECTED, 'The password is wrong (22040). Rule Basic_Authenticated_Access.'],
  [
    'rejected',
    found({
      passed: 'false',
      failure_reason: '15039 Rejected per authorization profile',
      other: { AuthorizationPolicyMatchedRule: 'Stolen_Devices', ANCPolicy: 'Quarantine' },
    }),
    'Quarantined by Quarantine. Rule Stolen_Devices.',
  ],
  [
    'connected, user failed',
    found({ other: CHAINED }),
    'The machine passed, but no user did: nobody is logged in there, or the login failed.',
  ],
  ['ended', ENDED, '15 Jan, 13:05 UTC (1 hour ago), cause: User Request.'],
  ['quarantined', found({ other: { EPSStatus: 'Quarantine' } })],
  [
    'quarantined',
    found({
      other: { ANCPolicy: 'Quarantine Guests', AuthorizationPolicyMatchedRule: 'Basic_Authenticated_Access' },
    }),
    'ANC policy Quarantine Guests, rule Basic_Authenticated_Access.',
  ],
  ['web login: waiting', redirected('cwa')],
  ['posture: waiting', redirected('cpp')],
  ['onboarding: waiting', redirected('nsp')],
  ['device management: waiting', redirected('mdm')],
  ['portal: waiting', redirected('')],
  ['blocked', redirected('', 'blackhole/blackhole.jsp')],
  ['connected, posture pending', found({ other: { PostureStatus: 'Pending' } })],
  ['connected, not compliant', found({ other: { PostureStatus: 'NonCompliant' } })],
  [
    'connected, not compliant',
    found({ other: { PostureStatus: 'NonCompliant', PostureReport: 'Antivirus\\;Failed\\;(Av_On)' } }),
    'It failed Antivirus.',
  ],
  ['session found', { kind: 'found', tokens: ['Corp_Access'], record: {}, text: '' }],
];

export function redirected(action: string, page = 'portal/gateway'): LookupOutcome {
  const address = `https://nac.example.com:8443/${page}?sessionId=0A&amp;action=${action}`;
  return found({ response: `{Class=CACS; cisco-av-pair=url-redirect=${address}; }` });
}

export const READER = readerFor({}, { now: () => NOW });

export function answered(outcome: DeviceAnswer['outcome'], asked: string, address = asked): DeviceAnswer {
  return { asked: asked as DeviceAddress, address: address as DeviceAddress, outcome };
}
