import type { INetworkModule, NetworkRequestOptions, NetworkResponse } from '@azure/msal-node';
import type { HttpRequest, Upstream } from '../../http.ts';

/** The authority gave no answer in JSON; MSAL tells it as `network_error`. */
class AuthorityError extends Error {
  override readonly name = 'AuthorityError';
}

/** MSAL's way to the authority: through an upstream of the bot, and so through its proxy. */
export function networkThrough(upstream: Upstream): INetworkModule {
  async function send<T>(
    method: HttpRequest['method'],
    url: string,
    { headers, body }: NetworkRequestOptions = {},
  ): Promise<NetworkResponse<T>> {
    const request = { method, url: new URL(url), ...(headers && { headers }), ...(body && { body }) };
    const outcome = await upstream.call(request);
    if (outcome.kind !== 'answered') throw new AuthorityError(outcome.fault.kind);
    const one = Object.entries(outcome.headers).map(([name, value]) => [name, String(value)]);
    return { status: outcome.status, headers: Object.fromEntries(one), body: JSON.parse(outcome.text) };
  }

  return {
    sendGetRequestAsync: (url, options) => send('GET', url, options),
    sendPostRequestAsync: (url, options) => send('POST', url, options),
  };
}
