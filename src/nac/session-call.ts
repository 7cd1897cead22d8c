import { type DeviceAddress, isMacAddress } from '../device-address.ts';
import { type HttpOutcome, targetUnder, type Upstream } from '../http.ts';
import { formatMacAddress, type MacForm } from '../mac-address.ts';
import type { Secret } from '../text/secret.ts';
import { createBreaker, type Health } from './breaker.ts';
import { readSessionOutcome, type SessionOutcome } from './session-outcome.ts';
import type { TokenTest } from './tokens.ts';

/**
 * Asks the NAC for one device's session.
 * @param authorization the `Authorization` header's value
 */
export type SessionCall = (address: DeviceAddress, authorization: Secret) => Promise<SessionOutcome>;

export type SessionCallOptions = {
  upstream: Upstream;
  /** One or two base addresses, the preferred first. */
  addresses: readonly URL[];
  macForm: MacForm;
  /** Whether a token is neither posted nor shown. */
  isIgnored?: TokenTest;
  now: () => number;
};

/** The session call. `pausedUntil` returns until when every address is paused (milliseconds since 1970). */
export type GuardedCall = { call: SessionCall; pausedUntil(): number | undefined };

/**
 * Endpoint 3: `GET {nac}/admin/API/mnt/Session/MACAddress/<mac>` or `.../EndPointIPAddress/<ip>` with HTTP Basic. Asks the
 * second address if the first is down (no connection, no trust, no whole answer in time, or a gateway's 502, 503 or 504) or paused by its breaker.
 * If both are, returns the first fault that is not a pause, else the first pause.
 */
export function createSessionCall({
  upstream,
  addresses,
  macForm,
  isIgnored,
  now,
}: SessionCallOptions): GuardedCall {
  const nodes = addresses.map((base) => ({ base, breaker: createBreaker(now) }));

  async function ask(base: URL, address: DeviceAddress, authorization: Secret): Promise<Answer> {
    const wire = await upstream.call({
      method: 'GET',
      url: targetUnder(base, pathOf(address, macForm)),
      headers: { authorization: authorization.reveal(), accept: 'application/xml' },
    });
    return { kind: 'asked', wire, session: readSessionOutcome(wire, isIgnored) };
  }

  async function call(address: DeviceAddress, authorization: Secret): Promise<SessionOutcome> {
    const faults: SessionOutcome[] = [];
    for (const { base, breaker } of nodes) {
      const answer = await breaker.guard(address, () => ask(base, address, authorization), healthOf);
      if (answer.kind === 'paused') faults.push(answer);
      else if (isDown(answer)) faults.push(answer.session);
      else return answer.session;
    }
    const [first = { kind: 'unreachable' as const }] = faults;
    return faults.find(({ kind }) => kind !== 'paused') ?? first;
  }

  function pausedUntil(): number | undefined {
    const untils = nodes.map(({ breaker }) => breaker.until());
    return untils.includes(undefined)
      ? undefined
      : Math.min(...untils.filter((until) => until !== undefined));
  }

  return { call, pausedUntil };
}

/** `Session/IPAddress` would be the switch's own address. */
function pathOf(address: DeviceAddress, macForm: MacForm): string {
  return isMacAddress(address)
    ? `/admin/API/mnt/Session/MACAddress/${formatMacAddress(address, macForm)}`
    : `/admin/API/mnt/Session/EndPointIPAddress/${address}`;
}

/** The HTTP outcome, and the session outcome read from it. */
type Answer = { kind: 'asked'; wire: HttpOutcome; session: SessionOutcome };

/** What an answer says of the NAC's health. A refused certificate, or one answer that is too large, says nothing. */
function healthOf({ wire, session }: Answer): Health {
  switch (wire.kind) {
    case 'answered':
      if (session.kind !== 'fault' || session.status < 500) return 'well';
      return 'ailing';
    case 'untrusted':
    case 'too large':
      return 'well';
    case 'cut off':
      return 'ailing';
    case 'timed out':
    case 'unreachable':
      return 'down';
  }
}

function isDown({ wire }: Answer): boolean {
  switch (wire.kind) {
    case 'answered':
      return wire.status >= 502 && wire.status <= 504;
    case 'too large':
      return false;
    case 'cut off':
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
      return true;
  }
}
