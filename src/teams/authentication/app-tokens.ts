import type {
  AuthenticationResult,
  INetworkModule,
  NetworkRequestOptions,
  NetworkResponse,
} from '@azure/msal-node';
import type { Secret } from '../../domain/secret.ts';
import { endsWithin } from '../../domain/timing.ts';
import type { HttpRequest, Upstream } from '../../http.ts';

/** The bot's own identity, as it was registered. */
export type Identity = {
  appId: string;
  /** Undefined for a managed identity. */
  password: Secret | undefined;
  type: 'SingleTenant' | 'UserAssignedMSI' | 'MultiTenant';
  /** Undefined for a multi-tenant bot. */
  tenantId: string | undefined;
  /** Where the channel's signing keys are published; if undefined, Microsoft's. */
  openIdMetadata: URL | undefined;
  /** The authority that issues the bot's own tokens; if undefined, Microsoft's. */
  loginUrl: URL | undefined;
};

/** The tokens that authenticate the bot's replies. */
export type AppTokens = {
  /** Returns the current token, renewed before it expires. Throws what MSAL throws, or an Error after 5 s. */
  get(): Promise<string>;
  /** Discards a token that the channel refused: the next call gets a new one. */
  forget(token: string): void;
};

/** What the authority made of a request for a token. */
export type TokenOutcome =
  | { kind: 'issued' }
  /** It does not let the bot in; `code` is the number in Microsoft's AADSTS codes, if it said one. */
  | { kind: 'refused'; code: number | undefined }
  /** It was not reached, or it knows no such tenant: MSAL tells these alike. */
  | { kind: 'unreachable' }
  | { kind: 'timed out' }
  | { kind: 'failed' };

const RESOURCE = 'https://api.botframework.com';
const SCOPES = [`${RESOURCE}/.default`];
const LOGIN = 'https://login.microsoftonline.com';

/** MSAL itself waits for minutes if an authority accepts a connection and says nothing. */
const PATIENCE_MS = 5000;

/** A token is renewed this long before its end, so that none expires on its way. */
const SPARE_MS = 5 * 60_000;

/**
 * Gets tokens from Microsoft's authority through MSAL: with the client secret, or as a managed identity.
 * @param authority the way to the authority; a managed identity's token comes from the machine itself, without a proxy
 * @param onOutcome called after each request to the authority
 */
export function createAppTokens(
  identity: Identity,
  authority: Upstream,
  now: () => number,
  onOutcome: (outcome: TokenOutcome) => void = () => {},
): AppTokens {
  const issue = issuerFor(identity, authority);
  let held: { token: string; until: number } | undefined; // `until` is the expiry, without SPARE_MS.
  let issuing: Promise<string> | undefined;

  async function issueAnew(): Promise<string> {
    try {
      const issued = issue();
      if (!(await endsWithin(issued, PATIENCE_MS))) throw new LateError();
      const { accessToken, expiresOn } = await issued;
      held = { token: accessToken, until: expiresOn?.getTime() ?? now() };
      onOutcome({ kind: 'issued' });
      return accessToken;
    } catch (error) {
      onOutcome(outcomeOf(error));
      throw error;
    }
  }

  return {
    async get() {
      if (held && now() < held.until - SPARE_MS) return held.token;
      issuing ??= issueAnew().finally(() => {
        issuing = undefined;
      });
      try {
        return await issuing;
      } catch (error) {
        if (held && now() < held.until) return held.token;
        throw error;
      }
    },
    forget(token) {
      if (held?.token === token) held = undefined;
    },
  };
}

class LateError extends Error {
  override readonly name = 'LateError';

  constructor() {
    super(`the authority did not answer within ${PATIENCE_MS} ms`);
  }
}

/** Reads MSAL's errors by their fields, because MSAL is loaded with the first token. */
function outcomeOf(error: unknown): TokenOutcome {
  if (error instanceof LateError) return { kind: 'timed out' };
  const { errorCode, errorNo, status } = {
    ...(error as { errorCode?: string; errorNo?: unknown; status?: number }),
  };
  if (status !== undefined && status >= 400 && status < 500) {
    const code = Number(errorNo);
    return { kind: 'refused', code: Number.isSafeInteger(code) ? code : undefined };
  }
  if (errorCode === 'endpoints_resolution_error' || errorCode === 'network_error')
    return { kind: 'unreachable' };
  return { kind: 'failed' };
}

type Issue = () => Promise<Pick<AuthenticationResult, 'accessToken' | 'expiresOn'>>;

/** Loads MSAL with the first token. Each token gets a new client, because {@link createAppTokens} keeps the tokens. */
function issuerFor(identity: Identity, upstream: Upstream): Issue {
  switch (identity.type) {
    case 'UserAssignedMSI':
      return async () => {
        const { ManagedIdentityApplication } = await import('@azure/msal-node');
        const client = new ManagedIdentityApplication({
          managedIdentityIdParams: { userAssignedClientId: identity.appId },
        });
        return client.acquireToken({ resource: RESOURCE, forceRefresh: true });
      };
    case 'SingleTenant':
    case 'MultiTenant':
      return async () => {
        const { ConfidentialClientApplication } = await import('@azure/msal-node');
        const authority = authorityOf(identity);
        const client = new ConfidentialClientApplication({
          auth: {
            clientId: identity.appId,
            clientSecret: identity.password?.reveal() ?? '',
            authority: authority.href,
            // Without this, MSAL asks Microsoft about any other authority first, and does not find it.
            knownAuthorities: [authority.host],
          },
          system: { networkClient: networkThrough(upstream) },
        });
        const result = await client.acquireTokenByClientCredential({ scopes: SCOPES });
        if (result === null) throw new TypeError('the authority answered without a token');
        return result;
      };
  }
}

/** A multi-tenant bot's tokens come from the Bot Framework's own tenant. */
export function authorityOf({ type, tenantId, loginUrl }: Identity): URL {
  return loginUrl ?? new URL(`${LOGIN}/${type === 'MultiTenant' ? 'botframework.com' : tenantId}`);
}

/** The authority gave no answer in JSON; MSAL tells it as `network_error`. */
class AuthorityError extends Error {
  override readonly name = 'AuthorityError';
}

/** MSAL's way to the authority: through an upstream of the bot, and so through its proxy. */
function networkThrough(upstream: Upstream): INetworkModule {
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

/** Says why there is no token, and the cure. Codes: https://learn.microsoft.com/entra/identity-platform/reference-error-codes. */
export function sayTokenFault(outcome: Exclude<TokenOutcome, { kind: 'issued' }>): string {
  switch (outcome.kind) {
    case 'refused':
      return sayRefusal(outcome.code);
    case 'unreachable':
      return 'the authority for tokens cannot be reached or knows no such tenant: check MicrosoftAppTenantId, and the way out (HTTPS_PROXY)';
    case 'timed out':
      return 'the authority for tokens does not answer: check the way out (HTTPS_PROXY)';
    case 'failed':
      return 'no token could be got: check MicrosoftAppType, and for UserAssignedMSI that this machine has the identity';
  }
}

function sayRefusal(code: number | undefined): string {
  switch (code) {
    case 7000215:
      return 'MicrosoftAppPassword is wrong; set the value of a client secret, not its id';
    case 7000222:
      return 'the client secret in MicrosoftAppPassword has expired; make a new one';
    case 700016:
    case 90002:
      return 'MicrosoftAppId is unknown in the tenant; check it, MicrosoftAppTenantId and MicrosoftAppType';
    default: {
      const name = code === undefined ? '' : ` (AADSTS${code})`;
      return `the authority refuses the bot a token${name}; check the settings that begin with MicrosoftApp`;
    }
  }
}
