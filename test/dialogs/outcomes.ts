import type { DeviceAnswer } from '../../dialogs/render/device.ts';
import { createFormatter } from '../../dialogs/render/words.ts';
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
const CHECK = "The bot's operator can check";
const CHECK_ACCOUNT = `${CHECK} NAC_USERNAME and NAC_PASSWORD, and that the account has a monitoring role (MnT Admin).`;
const MAY_NOT =
  'the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.';
const REFUSED = "credentials refused. The NAC does not accept the bot's user name and password (401).";
const CHECK_NODE = `${CHECK} NAC_URL: http or https, and whether it names the monitoring node.`;
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
  [unusable('too large (over 1 MB)'), silent({ kind: 'too large' })],
  [unusable('it was cut off before its end'), silent({ kind: 'cut off' })],
  [unusable('it began but did not end in time'), timedOut(true)],
  [unusable('it was cut off before its end'), { kind: 'unusable', reason: 'cut off' }],
  [
    unusable('a login page came instead of a session', CHECK_NODE),
    { kind: 'unusable', reason: 'login page' },
  ],
  [unusable('I do not know its form'), { kind: 'unusable', reason: 'unknown' }],
  [
    'too many requests (429). The NAC, or what stands in front of it, gets too many requests now. Please try again later.',
    { kind: 'fault', status: 429 },
  ],
  [
    `the NAC reported a fault (HTTP status 404). ${CHECK}: is it the monitoring node, and has NAC_URL a path?`,
    { kind: 'fault', status: 404 },
  ],
  [
    `the NAC reported a fault (HTTP status 500). Its session directory is not available. ${ASK}`,
    { kind: 'fault', status: 500, part: 'session directory' },
  ],
  [
    `the NAC's answer was empty (HTTP status 204). ${ASK}`,
    { kind: 'unusable', reason: 'empty', status: 204 },
  ],
  [
    `the NAC redirects (HTTP status 301). It sends the bot to \`https://mnt-b.example\`; the bot does not follow, because the password would go along. ${CHECK_NODE}`,
    { kind: 'unusable', reason: 'redirect', status: 301, to: 'https://mnt-b.example' },
  ],
  [
    `the NAC redirects (HTTP status 302). It names no other host; the bot does not follow, because the password would go along. ${CHECK_NODE}`,
    { kind: 'unusable', reason: 'redirect', status: 302, to: undefined },
  ],
  [
    `not asked, because ${NOT_TRUSTED} (expired or not yet valid). Those who run the system can renew the certificate. If it is still valid, the clock of this machine is wrong.`,
    silent({ kind: 'untrusted', reason: 'expired' }),
  ],
  ['time-out. The NAC did not answer within 6 s.', timedOut(false)],
  ...Object.entries<string>({
    'not acceptable': `${NOT_TRUSTED} (not acceptable)`,
    'unknown authority': 'the certificate of the NAC comes from an authority that the bot does not trust',
    'wrong host name': `${NOT_TRUSTED} (issued for another host name)`,
    'wrong pin': 'the certificate of the NAC does not match its pin',
    'no common TLS': 'the TLS handshake with the NAC failed, so the bot cannot trust the connection',
  } satisfies Record<Exclude<TrustFault, 'expired'>, string>).map(
    ([reason, why]): [string, LookupOutcome] => [
      untrusted(why),
      silent({ kind: 'untrusted', reason: reason as TrustFault }),
    ],
  ),
  [
    'the NAC could not be reached. The NAC or the network between is down, or NAC_URL is wrong.',
    silent({ kind: 'unreachable', code: 'ECONNREFUSED' }),
  ],
];

export const own = (outcome: LookupOutcome) => ({ ...outcome, account: 'person' }) as LookupOutcome;

export const REJECTED = found({ passed: 'false', failure_reason: '22040 Wrong password' });
export const ENDED = found(STOP);
const SUPPRESSED = found({ passed: 'false', message_code: '5449' });
const CHAINED = { EapChainingResult: 'User failed and machine succeeded' };

/** Every verdict on a session, and an outcome that has it. */
export const WITH_SESSION: ReadonlyArray<[verdict: string, outcome: LookupOutcome, meaning?: string]> = [
  ['connected', found()],
  ['rejected', REJECTED, 'The password is wrong (22040). Rule Basic_Authenticated_Access.'],
  [
    'rejected, under ANC policy Quarantine',
    found({
      passed: 'false',
      failure_reason: '15039 Rejected per authorization profile',
      other: { AuthorizationPolicyMatchedRule: 'Stolen_Devices', ANCPolicy: 'Quarantine' },
    }),
    'The authorization policy rejects the device (15039). Rule Stolen_Devices.',
  ],
  ['connected, under EPS status Shutdown', found({ other: { EPSStatus: 'Shutdown' } })],
  [
    'suppressed',
    SUPPRESSED,
    'The NAC suppresses the device, because it failed again and again (5449). The cause is in an earlier attempt. Those who run the NAC can release the device.',
  ],
  [
    'did not finish',
    found({ passed: 'false', message_code: '5440' }),
    'The device broke off and started again (5440). Rule Basic_Authenticated_Access. Often it is roaming, or the link is poor.',
  ],
  [
    'connected, user failed',
    found({ other: CHAINED }),
    'The machine passed, but no user did: nobody is logged in there, or the login failed.',
  ],
  ['ended', ENDED, '15 Jan, 13:05 UTC (1 hour ago), cause: User Request.'],
  ['quarantined, under EPS status Quarantine', found({ other: { EPSStatus: 'Quarantine' } })],
  [
    'quarantined, under ANC policy Quarantine Guests',
    found({
      other: { ANCPolicy: 'Quarantine Guests', AuthorizationPolicyMatchedRule: 'Basic_Authenticated_Access' },
    }),
    'Rule Basic_Authenticated_Access.',
  ],
  [
    'web login: waiting',
    redirected('cwa'),
    'The device reaches only a login page until somebody signs in there.',
  ],
  [
    'posture: waiting',
    redirected('cpp'),
    'The device reaches only the posture portal until its check has passed.',
  ],
  [
    'onboarding: waiting',
    redirected('nsp'),
    'The device reaches only the onboarding portal until it is set up.',
  ],
  [
    'device management: waiting',
    redirected('mdm'),
    'The device reaches only a portal until the device management has enrolled it.',
  ],
  ['portal: waiting', redirected(''), 'The device reaches only a portal of the NAC.'],
  [
    'hotspot: waiting',
    redirected('cwa&amp;type=drw'),
    "The device reaches only a hotspot's portal until somebody accepts the terms there.",
  ],
  [
    'blocked',
    redirected('', 'blackhole/blackhole.jsp'),
    'The device is on the list of lost or stolen devices, and reaches only a page that says so.',
  ],
  ['connected, posture pending', found({ other: { PostureStatus: 'Pending' } })],
  ['connected, not compliant', found({ other: { PostureStatus: 'NonCompliant' } })],
  [
    'connected, not compliant',
    found({ other: { PostureStatus: 'NonCompliant', PostureReport: 'Antivirus\\;Failed\\;(Av_On)' } }),
    'It failed Antivirus.',
  ],
  ['session found', { kind: 'found', tokens: ['Corp_Access'], record: {}, text: '' }],
  [
    'posture: waiting',
    redirected('cpp', undefined, { PostureStatus: 'NonCompliant' }),
    'Its posture is not compliant. The device reaches only the posture portal until its check has passed.',
  ],
];

export function redirected(action: string, page = 'portal/gateway', other = {}): LookupOutcome {
  const address = `https://nac.example.com:8443/${page}?sessionId=0A&amp;action=${action}`;
  return found({ response: `{Class=CACS; cisco-av-pair=url-redirect=${address}; }`, other });
}

export const READER = createFormatter({}, { now: () => NOW });

export function answered(outcome: DeviceAnswer['outcome'], asked: string, address = asked): DeviceAnswer {
  return { asked: asked as DeviceAddress, address: address as DeviceAddress, outcome };
}
