import { type HttpOutcome, type Upstream, urlUnder } from '../http.ts';
import { formatMacAddress, type MacAddress, type MacForm } from '../mac-address.ts';
import type { Secret } from '../secret.ts';
import { readSessionOutcome, type SessionOutcome } from './session-outcome.ts';

/**
 * Asks the NAC for one device's session.
 * @param authorization the `Authorization` header's value
 */
export type SessionCall = (address: MacAddress, authorization: Secret) => Promise<SessionOutcome>;

export type SessionCallOptions = {
  upstream: Upstream;
  /** One or two base addresses, the preferred first. */
  addresses: readonly URL[];
  macForm: MacForm;
};

/**
 * Endpoint 3: `GET {nac}/admin/API/mnt/Session/MACAddress/<mac>` with HTTP Basic. The second address is asked when the
 * first is down: no connection, no trust, no whole answer in time, or a gateway's 502, 503 or 504. Where both are down,
 * the first one's fault is told.
 */
export function createSessionCall({ upstream, addresses, macForm }: SessionCallOptions): SessionCall {
  function ask(base: URL, address: MacAddress, authorization: Secret): Promise<HttpOutcome> {
    return upstream.call({
      method: 'GET',
      url: urlUnder(base, `/admin/API/mnt/Session/MACAddress/${formatMacAddress(address, macForm)}`),
      headers: { authorization: authorization.reveal(), accept: 'application/xml' },
    });
  }

  return async (address, authorization) => {
    const outcomes: HttpOutcome[] = [];
    for (const base of addresses) {
      const outcome = await ask(base, address, authorization);
      if (!isDown(outcome)) return readSessionOutcome(outcome);
      outcomes.push(outcome);
    }
    return readSessionOutcome(outcomes[0] ?? { kind: 'unreachable', code: 'no address' });
  };
}

function isDown(outcome: HttpOutcome): boolean {
  switch (outcome.kind) {
    case 'answered':
      return outcome.status >= 502 && outcome.status <= 504;
    case 'too large':
      return false;
    case 'cut off':
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
      return true;
  }
}
