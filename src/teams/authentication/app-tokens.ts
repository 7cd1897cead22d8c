import type { INetworkModule, NetworkRequestOptions } from '@azure/msal-node';
import type { Secret } from '../../domain/secret.ts';
import { settlesWithin } from '../../domain/timing.ts';
import type { Upstream } from '../../http.ts';

export type Identity = {
  appId: string;
  /** Undefined for a managed identity. */
  password: Secret | undefined;
  type: 'SingleTenant' | 'UserAssignedMSI' | 'MultiTenant';
  /** Undefined for a multi-tenant bot. */
  tenantId: string | undefined;
  /** The authority that issues the bot's own tokens; if undefined, Microsoft's. */
  loginUrl: URL | undefined;
};

export type AppTokens = ReturnType<typeof createAppTokens>;

/** @property kind `refused`: the authority does not let the bot in @property cure the action of an operator */
export type TokenOutcome =
  | { kind: 'issued'; cure?: undefined }
  | { kind: 'refused' | 'unreachable' | 'failed'; cure: string };

const RESOURCE = 'https://api.botframework.com';
/** MSAL itself waits for minutes if an authority accepts a connection and sends nothing. */
const PATIENCE_MS = 5000;
/** A token is renewed this long before its end, so that none expires on its way. */
const SPARE_MS = 5 * 60_000;

/**
 * Gets tokens from Microsoft's authority through MSAL: with the client secret, or as a managed identity.
 * @param authority the way to the authority; a managed identity's token comes from the machine itself, without a proxy
 */
export function createAppTokens(
  identity: Identity,
  authority: Upstream,
  now: () => number,
  onOutcome: (outcome: TokenOutcome) => void,
) {
  let current: { token: string; until: number } | undefined; // `until` is the expiry, without SPARE_MS.
  let issuing: Promise<string> | undefined;

  async function renew(): Promise<string> {
    try {
      const issued = issue(identity, authority);
      if (!(await settlesWithin(issued, PATIENCE_MS)))
        throw Object.assign(new Error('no token in time'), { errorCode: 'network_error' });
      const { accessToken, expiresOn } = await issued;
      current = { token: accessToken, until: expiresOn?.getTime() ?? now() };
      onOutcome({ kind: 'issued' });
      return accessToken;
    } catch (error) {
      onOutcome(readTokenFault(error));
      if (current && now() < current.until) return current.token;
      throw error;
    }
  }

  return {
    /** Returns the current token, renewed before it expires. Throws what MSAL throws, or an Error after 5 s. */
    async get(): Promise<string> {
      if (current && now() < current.until - SPARE_MS) return current.token;
      issuing ??= renew().finally(() => {
        issuing = undefined;
      });
      return issuing;
    },
    forget(token: string): void {
      if (current?.token === token) current = undefined;
    },
  };
}

/** Reads MSAL's errors by their fields, because MSAL is loaded with the first token. */
export function readTokenFault(error: unknown): TokenOutcome {
  const { errorCode, errorNo, status } = Object(error) as Record<string, unknown>;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const code = /^\d+$/.exec(String(errorNo))?.[0];
    const name = code === undefined ? '' : ` (AADSTS${code})`;
    const otherwise = `the authority refuses the bot a token${name}; check the settings that begin with MicrosoftApp`;
    return { kind: 'refused', cure: REFUSAL_CURES[code ?? ''] ?? otherwise };
  }
  // MSAL reports alike that the authority is not reached, and that it knows no such tenant.
  const isReached = !/^(?:endpoints_resolution|network)_error$/.test(String(errorCode));
  return isReached ? { kind: 'failed', cure: FAILED } : { kind: 'unreachable', cure: NOT_REACHED };
}

const UNKNOWN_APP =
  'MicrosoftAppId is unknown in the tenant; check it, MicrosoftAppTenantId and MicrosoftAppType';

/** By AADSTS code (https://learn.microsoft.com/entra/identity-platform/reference-error-codes). */
const REFUSAL_CURES: Readonly<Record<string, string>> = {
  7000215: 'MicrosoftAppPassword is wrong; set the value of a client secret, not its id',
  7000222: 'the client secret in MicrosoftAppPassword has expired; make a new one',
  700016: UNKNOWN_APP,
  90002: UNKNOWN_APP,
};
const NOT_REACHED =
  'the authority for tokens cannot be reached or knows no such tenant: check MicrosoftAppTenantId, and the way out (HTTPS_PROXY)';
const FAILED =
  'no token could be got: check MicrosoftAppType, and for UserAssignedMSI that this machine has the identity';

/** Loads MSAL with the first token. Each token gets a new client, because {@link createAppTokens} keeps the tokens. */
async function issue(identity: Identity, upstream: Upstream) {
  const { ConfidentialClientApplication, ManagedIdentityApplication } = await import('@azure/msal-node');
  const { appId: clientId, password, type } = identity;
  if (type === 'UserAssignedMSI') {
    const managedIdentityIdParams = { userAssignedClientId: clientId };
    const client = new ManagedIdentityApplication({ managedIdentityIdParams });
    return client.acquireToken({ resource: RESOURCE, forceRefresh: true });
  }
  const { href, host } = authorityOf(identity);
  // Without `knownAuthorities`, MSAL asks Microsoft about any other authority first, and does not find it.
  const trusted = { authority: href, knownAuthorities: [host] };
  const client = new ConfidentialClientApplication({
    auth: { clientId, clientSecret: password?.reveal() ?? '', ...trusted },
    system: { networkClient: networkThrough(upstream) },
  });
  const result = await client.acquireTokenByClientCredential({ scopes: [`${RESOURCE}/.default`] });
  if (result === null) throw new TypeError('the authority answered without a token');
  return result;
}

/** A multi-tenant bot's tokens come from the Bot Framework's own tenant. */
export function authorityOf({ type, tenantId, loginUrl }: Identity): URL {
  const tenant = type === 'MultiTenant' ? 'botframework.com' : tenantId;
  return loginUrl ?? new URL(`https://login.microsoftonline.com/${tenant}`);
}

/** MSAL's way to the authority: through an upstream of the bot, and so through its proxy. MSAL reports an error as `network_error`. */
function networkThrough(upstream: Upstream): INetworkModule {
  async function send(address: string, { headers = {}, body }: NetworkRequestOptions = {}) {
    const method = body ? 'POST' : 'GET';
    const outcome = await upstream.call({ method, url: new URL(address), headers, ...(body && { body }) });
    if (outcome.kind !== 'answered') throw new Error(outcome.fault.kind);
    return { status: outcome.status, headers: {}, body: JSON.parse(outcome.text) };
  }
  return { sendGetRequestAsync: send, sendPostRequestAsync: send };
}
