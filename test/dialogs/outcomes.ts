import type { Turn } from '../../dialogs/dialog.ts';
import type { KnownDevices } from '../../dialogs/lookup/device-lookups.ts';
import type { DeviceAnswer } from '../../dialogs/render/device.ts';
import { createFormatter } from '../../dialogs/render/words.ts';
import type { Sent } from '../../dialogs/route.ts';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { HttpFault, LookupOutcome, TrustFault } from '../../src/domain/outcome.ts';
import { cureFor } from '../../src/domain/part.ts';
import { readSessionOutcome } from '../../src/nac/reading/session.ts';
import { type SessionFields, sessionXml } from '../../src/sandbox/session-xml.ts';
import type { Delivery } from '../../src/webhook/sender.ts';

/** When the tests' messages arrive. */
export const NOW = Date.UTC(2026, 0, 15, 14, 5);
export const READER = createFormatter({ now: () => NOW });

export const NOBODY_KNOWN: KnownDevices = { recent: [], elsewhere: [], pending: undefined };
export const SENT: Sent = {
  text: '',
  quoted: '',
  hasUnseen: false,
  isAddressed: true,
  isAdmin: true,
  isPersonal: true,
  submission: undefined,
};
export const PLACE: Turn['place'] = {
  reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'chat' } },
};

export const POSTED: Delivery = { outcome: { kind: 'posted' }, isQueued: false };
export const NOT_POSTED: Delivery = { ...POSTED, outcome: { kind: 'not found', final: true } };

export const NONE: LookupOutcome = { kind: 'no session' };
const UNREACHABLE = { kind: 'unreachable', code: 'ECONNREFUSED' } as const;
export const DOWN: LookupOutcome = { kind: 'no answer', fault: UNREACHABLE };

export function found(fields: Partial<SessionFields> = {}): LookupOutcome {
  const text = sessionXml({ auth_acs_timestamp: '2026-01-15T12:05:00.000Z', ...fields });
  return readSessionOutcome({ kind: 'answered', status: 200, headers: {}, text }) as LookupOutcome;
}

const AN_HOUR_AGO = { acct_acs_timestamp: '2026-01-15T13:05:00.000Z' };
export const STOP = { acct_status_type: 'Stop', acct_terminate_cause: 'User Request', ...AN_HOUR_AGO };

const NINE = Date.UTC(2026, 0, 15, 21, 0);
const paused = (isForAll: boolean): LookupOutcome => ({ kind: 'paused', until: NINE, isForAll });
const fault = (status: number): LookupOutcome => ({ kind: 'fault', status });
const silent = (fault: HttpFault): LookupOutcome => ({ kind: 'no answer', fault });
const timedOut = (begun: boolean) => silent({ kind: 'timed out', timeoutMs: 6000, begun });
const untrusted = (reason: TrustFault) =>
  ({ kind: 'no answer', fault: { kind: 'untrusted', reason } }) as const;
const unusable = (reason: 'cut off' | 'login page' | 'unknown') => ({ kind: 'unusable', reason }) as const;
const redirect = (status: number, to?: string) =>
  ({ kind: 'unusable', reason: 'redirect', status, to }) as const;
const NO_DIRECTORY: LookupOutcome = { kind: 'fault', status: 500, part: 'session directory' };
const EMPTY: LookupOutcome = { kind: 'unusable', reason: 'empty', status: 204 };

const CAN = "The bot's operator can";
const CHECK_ACCOUNT = `${CAN} check NAC_USERNAME and NAC_PASSWORD, and that the account has a monitoring role (on Cisco ISE, MnT Admin).`;
const CHECK_NODE = `${CAN} check that NAC_URL names the monitoring node itself: http or https, the port, and no path behind the host.`;
const cure = (reason: TrustFault) => `${CAN} ${cureFor('NAC', untrusted(reason))}.`;
const MAY_NOT =
  'The NAC knows the account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.';
const REFUSED = "credentials refused. The NAC does not accept the bot's user name and password (401).";
const ASK = 'Please ask those who run the NAC.';
const UNUSABLE = "the NAC's answer was not usable:";
const NOT_TRUSTED = 'not asked, because the bot does not trust the certificate of the NAC';
const NOT_FOLLOWED = `the bot does not follow, because the password would go along. ${CHECK_NODE}`;

type Row = [sentence: string, outcome: LookupOutcome];

/** Reads lines that begin with an outcome, and go on with its sentence. */
function rows(texts: TemplateStringsArray, ...values: Array<LookupOutcome | string>): Row[] {
  const all: Row[] = [];
  for (const [index, value] of values.entries()) {
    const text = texts[index + 1] ?? '';
    const last = all.at(-1);
    if (typeof value !== 'string') all.push([text, value]);
    else if (last) last[0] += value + text;
  }
  return all.map(([sentence, outcome]) => [sentence.trim(), outcome]);
}

/** Every outcome without a session, and the sentence after the address. */
export const WITHOUT_SESSION: readonly Row[] = rows`
  ${NONE} no session. The NAC knows of no current session. Is the device plugged in and awake?
  ${{ kind: 'refused', whose: 'person' }} credentials refused. The NAC does not accept your user name and password (401), so I have forgotten them: they are wrong, or your account has no monitoring role. Type \`connect\` to give them again.
  ${{ kind: 'refused' }} ${REFUSED} ${CHECK_ACCOUNT}
  ${{ kind: 'resting', until: NINE }} not asked. The NAC refused the bot's credentials. I leave them alone for 7 hours more, so that the account does not get locked. ${CHECK_ACCOUNT}
  ${{ kind: 'busy' }} not asked. Too many lookups are waiting for the NAC. Please try again in a minute.
  ${{ kind: 'disconnected' }} not asked. Your account changed while this lookup waited. Please ask again.
  ${paused(true)} not asked. The NAC failed several times in a row. I leave it alone for 7 hours more.
  ${paused(false)} not asked. The NAC gave no answer about the last five devices that you asked for. I ask for you again in 7 hours.
  ${{ kind: 'forbidden', whose: 'person' }} not allowed. ${MAY_NOT}
  ${{ kind: 'forbidden' }} not allowed. ${MAY_NOT}
  ${fault(500)} the NAC reported a fault (HTTP status 500). ${ASK}
  ${silent({ kind: 'too large' })} ${UNUSABLE} too large (over 1 MB). ${ASK}
  ${silent({ kind: 'cut off' })} ${UNUSABLE} it was cut off before its end. ${ASK}
  ${timedOut(true)} ${UNUSABLE} it began but did not end in time. ${ASK}
  ${unusable('cut off')} ${UNUSABLE} it was cut off before its end. ${ASK}
  ${unusable('login page')} ${UNUSABLE} a web page came instead of a session, perhaps a login page. ${CHECK_NODE}
  ${unusable('unknown')} ${UNUSABLE} I do not know its form. ${ASK}
  ${fault(429)} too many requests (429). The NAC, or what stands in front of it, gets too many requests now. Please try again later.
  ${fault(404)} the NAC reported a fault (HTTP status 404). ${CHECK_NODE}
  ${NO_DIRECTORY} the NAC reported a fault (HTTP status 500). Its session directory is not available. ${ASK}
  ${EMPTY} the NAC's answer was empty (HTTP status 204). ${ASK}
  ${redirect(301, 'https://mnt-b.example')} the NAC redirects (HTTP status 301). It sends the bot to \`https://mnt-b.example\`; ${NOT_FOLLOWED}
  ${redirect(302)} the NAC redirects (HTTP status 302). It names no other host; ${NOT_FOLLOWED}
  ${untrusted('expired')} ${NOT_TRUSTED} (expired or not yet valid). ${cure('expired')}
  ${timedOut(false)} time-out. The NAC did not answer within 6 s.
  ${untrusted('not acceptable')} ${NOT_TRUSTED} (not acceptable). ${cure('not acceptable')}
  ${untrusted('unknown authority')} ${NOT_TRUSTED} (unknown authority). ${cure('unknown authority')}
  ${untrusted('wrong host name')} ${NOT_TRUSTED} (wrong host name). ${cure('wrong host name')}
  ${untrusted('wrong pin')} ${NOT_TRUSTED} (wrong pin). ${cure('wrong pin')}
  ${untrusted('no common TLS')} not asked, because the TLS handshake with the NAC failed, so the bot cannot trust the connection. ${cure('no common TLS')}
  ${DOWN} the NAC could not be reached. The NAC or the network between is down, or NAC_URL is wrong.
`;

export const own = (outcome: LookupOutcome) => ({ ...outcome, whose: 'person' }) as LookupOutcome;

export const REJECTED = found({ passed: 'false', failure_reason: '22040 Wrong password' });
export const ENDED = found(STOP);
const failed = (message_code: string) => found({ passed: 'false', message_code });
const withFields = (other: Record<string, string>) => found({ other });
const UNDER_POLICY = { AuthorizationPolicyMatchedRule: 'Stolen_Devices', ANCPolicy: 'Quarantine' };
const BY_POLICY = found({ passed: 'false', failure_reason: '15039 x', other: UNDER_POLICY });
const GUESTS = withFields({ ...UNDER_POLICY, ANCPolicy: 'Quarantine Guests' });
const REPORT = { PostureStatus: 'NonCompliant', PostureReport: 'Antivirus\\;Failed\\;(Av_On)' };

/** Every verdict on a session, an outcome that has it, and what it means. */
export const WITH_SESSION = rows`
  ${found()} connected
  ${REJECTED} rejected | The password is wrong (22040). Rule Basic_Authenticated_Access.
  ${BY_POLICY} rejected, under ANC policy Quarantine | The authorization policy rejects the device (15039). Rule Stolen_Devices.
  ${withFields({ EPSStatus: 'Shutdown' })} connected, under EPS status Shutdown
  ${failed('5449')} suppressed | The NAC suppresses the device, because it failed again and again (5449). The cause is in an earlier attempt. Those who run the NAC can release the device.
  ${failed('5440')} did not finish | The device broke off and started again (5440). Rule Basic_Authenticated_Access. Often it is roaming, or the link is poor.
  ${withFields({ EapChainingResult: 'User failed and machine succeeded' })} connected, user failed | Nobody is logged in there, or the login failed.
  ${ENDED} ended | 15 Jan, 13:05 UTC (1 hour ago), cause: User Request.
  ${withFields({ EPSStatus: 'Quarantine' })} quarantined, under EPS status Quarantine
  ${GUESTS} quarantined, under ANC policy Quarantine Guests | Rule Stolen_Devices.
  ${redirected('cwa')} web login: waiting | The device reaches only a login page until somebody signs in there.
  ${redirected('cpp')} posture: waiting | The device reaches only the posture portal until its check has passed.
  ${redirected('nsp')} onboarding: waiting | The device reaches only the onboarding portal until it is set up.
  ${redirected('mdm')} device management: waiting | The device reaches only a portal until the device management has enrolled it.
  ${redirected('')} portal: waiting | The device reaches only the portal that the NAC sends it to.
  ${redirected('cwa&amp;type=drw')} hotspot: waiting | The device reaches only a hotspot's portal until somebody accepts the terms there.
  ${redirected('', 'blackhole/blackhole.jsp')} blocked | The device is on the list of lost or stolen devices, and reaches only a page that says so.
  ${withFields({ PostureStatus: 'Pending' })} connected, posture pending
  ${withFields({ PostureStatus: 'NonCompliant' })} connected, not compliant
  ${withFields(REPORT)} connected, not compliant | It failed Antivirus.
  ${{ kind: 'found', tokens: ['Corp_Access'], record: {}, text: '' }} session found
  ${redirected('cpp', undefined, { PostureStatus: 'NonCompliant' })} posture: waiting | Its posture is not compliant. The device reaches only the posture portal until its check has passed.
`.map(([sentence, outcome]): [verdict: string, outcome: LookupOutcome, meaning?: string] => {
  const [verdict = '', meaning] = sentence.split(' | ');
  return meaning === undefined ? [verdict, outcome] : [verdict, outcome, meaning];
});

export function redirected(action: string, page = 'portal/gateway', other = {}): LookupOutcome {
  const address = `https://nac.example.com:8443/${page}?sessionId=0A&amp;action=${action}`;
  return found({ response: `{Class=CACS; cisco-av-pair=url-redirect=${address}; }`, other });
}

export function answered(outcome: DeviceAnswer['outcome'], asked: string, address = asked): DeviceAnswer {
  return { asked: asked as DeviceAddress, address: address as DeviceAddress, outcome };
}
