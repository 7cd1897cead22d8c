import { basicAuthorization } from '../../credentials/service-account.ts';
import type { MacAddress } from '../../domain/mac-address.ts';
import type { HttpOutcome } from '../../http.ts';
import { get } from '../../nac/get.ts';
import { sessionPath } from '../../nac/paths.ts';
import { readSessionOutcome, type SessionOutcome, type UnusableReason } from '../../nac/session-outcome.ts';
import { sayRefused, sayResting, type TriedAccount } from './account.ts';
import { type Examination, withCertificate } from './examination.ts';
import { type Diagnosis, type Finding, fails, skipped, works } from './finding.ts';
import { sayNoAnswer } from './no-answer.ts';

/** No device has this address, so that every NAC must say "no session". */
const NOBODY = '00:00:00:00:00:00' as MacAddress;

/** Asks each address of the NAC for a session. A second address is not asked with an account that the first refused. */
export async function examineNac(examination: Examination): Promise<Finding[]> {
  const { addresses, tls } = examination.settings.nac;
  const findings: Finding[] = [];
  let isRefused = false;
  for (const [index, url] of addresses.entries()) {
    const examined: Examined = isRefused
      ? { ...skipped(`${url.host} is not asked, because the account was refused`), isRefused }
      : await examineAddress(url, examination);
    ({ isRefused } = examined);
    const trusted = { url, tls, setting: 'NAC_TLS', wayOut: examination.wayOut };
    findings.push({
      system: index === 0 ? 'NAC' : 'NAC (second)',
      ...(await withCertificate(examined, trusted)),
    });
  }
  return findings;
}

/** @property isRefused the account was refused, now or by an earlier run */
type Examined = Diagnosis & { isRefused: boolean };

async function examineAddress(url: URL, examination: Examination): Promise<Examined> {
  const { settings, upstreams, refusals } = examination;
  const { username, password, macForm } = settings.nac;
  const account: TriedAccount = { system: 'NAC', username };
  const resting = await sayResting(account, examination);
  if (resting) return { ...resting, isRefused: true };

  const authorization = basicAuthorization(username, password);
  const wire = await get(upstreams.nac, url, sessionPath(NOBODY, macForm), authorization);
  const session = readSessionOutcome(wire);
  if (session.kind === 'refused') return { ...sayRefusedBy(url, account, refusals), isRefused: true };
  if (session.kind === 'no session' || session.kind === 'forbidden') refusals.forget('NAC', username);
  return { ...say(session, wire, url), isRefused: false };
}

function sayRefusedBy({ host }: URL, account: TriedAccount, refusals: Examination['refusals']): Diagnosis {
  return sayRefused(account, {
    refusals,
    what: `${host} refuses the user name or the password`,
    check:
      'check NAC_USERNAME and NAC_PASSWORD, and in the NAC that the account is an internal one and not locked',
  });
}

const MONITORING = 'NAC_URL must name the monitoring node itself (MnT), without a path';

function say(session: Exclude<SessionOutcome, { kind: 'refused' }>, wire: HttpOutcome, url: URL): Diagnosis {
  const { host, origin } = url;
  switch (session.kind) {
    case 'no session':
      return works(`${host} says "no session" for ${NOBODY}, as it must`);
    case 'found':
      return fails(`${host} shows a session for ${NOBODY}, which no device has`, MONITORING);
    case 'forbidden':
      return fails(
        `${host} does not let the account read sessions (403)`,
        'give the account a role that may; on Cisco ISE: MnT Admin',
      );
    case 'fault':
      return session.status === 404
        ? fails(`${host} knows no sessions (404): not the monitoring node`, MONITORING)
        : fails(
            `${host} reports a fault (HTTP status ${session.status})`,
            `ask those who run the NAC. If a balancer stands in front: ${MONITORING}`,
          );
    case 'unusable':
      return wire.kind === 'answered'
        ? fails(`${host} ${UNUSABLE[session.reason]}`, MONITORING)
        : sayWire(wire);
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
    case 'paused':
      return sayWire(wire);
  }

  function sayWire(fault: HttpOutcome): Diagnosis {
    if (fault.kind === 'answered') throw new TypeError('an answer is read by its content');
    return sayNoAnswer(fault, { origin, address: 'NAC_URL', tls: 'NAC_TLS' });
  }
}

const UNUSABLE: Readonly<Record<UnusableReason, string>> = {
  'login page': 'shows a login page in place of its API',
  'too large': 'answers far more than a session',
  'cut off': 'answers, but not to the end',
  endless: 'answers without an end',
  unknown: 'answers, but not as the monitoring API does',
};
