import { lacksToken, splitPastedAddress } from '../domain/secret.ts';
import { parseNoProxy, proxyFor } from '../http/proxy.ts';
import { isLoopback } from '../http.ts';
import { type Environment, FILE_SECRETS, type Problem } from './environment.ts';
import { fields, parseHttpUrl, parseList, parseProxy } from './schema.ts';

const PLACEHOLDER = /<[A-Z][A-Z0-9_ -]*>/;
const SECRETS = FILE_SECRETS.filter((name) => !name.endsWith('_URL'));
/** Addresses, user names and ids. */
const HOLDERS = /URL$|HOSTS?$|_PROXY$|_LINK$|_USERNAME$|_PREFIX$|^Microsoft|Metadata$|^ALLOWED_|^ADMINS$/i;

/** Finds placeholders (`<NAME>`) that were left in: anywhere in an address, a user name or an id, else as the whole value. */
export function findPlaceholders(env: Environment): Problem[] {
  return Object.keys(fields.shape).flatMap((name) => {
    const [left = '', value = ''] = [PLACEHOLDER.exec(env[name] ?? '')?.[0], env[name]?.trim()];
    const isHolder = HOLDERS.test(name) && !SECRETS.some((each) => each === name);
    const isLeft = left !== '' && (isHolder || left === value);
    return problemIf(isLeft, name, 'still holds a placeholder in <>: put the real value there');
  });
}

/** Finds values that are accepted and may be wrong. */
export function findDoubts(env: Environment): Problem[] {
  const hasPath = urlsIn(env, 'NAC_URL').some(({ pathname }) => pathname !== '/');
  const ignoresAll = listIn(env, 'TOKENS_IGNORE').some((token) => /^\*+$/.test(token));
  const path = 'has a path behind its host: leave it out, unless a proxy in front of the NAC needs it';
  const all = 'holds *, which stands for every token: none is ever posted or shown';
  return [...problemIf(hasPath, 'NAC_URL', path), ...problemIf(ignoresAll, 'TOKENS_IGNORE', all)];
}

/** Finds problems between settings. Reads the plain text, so it works even if a single field is wrong too. */
export function findRuleProblems(env: Environment): Problem[] {
  const needsKey =
    env.PERSONAL_SIGN_IN !== undefined &&
    'PERSONAL_SIGN_IN needs 32 bytes in base64, as "openssl rand -base64 32" prints';
  return [
    ...(env.MicrosoftAppId === undefined
      ? withoutIdentity(env)
      : [...identityProblems(env), ...idProblems(env)]),
    ...upstreamProblems(env),
    ...missing(env, { SECRET_KEY: needsKey }),
    ...noProxyProblems(env),
    ...detourProblems(env, 'BotOpenIdMetadata'),
  ];
}

function problemIf(isWrong: boolean, name: string, message: string): Problem[] {
  return isWrong ? [{ name, message }] : [];
}

/** Returns a problem for each setting that is not set. @param reasons what each is, by its name; false: not needed */
function missing(env: Environment, reasons: Readonly<Record<string, string | false>>): Problem[] {
  return Object.entries(reasons).flatMap(([name, reason]) =>
    problemIf(reason !== false && env[name] === undefined, name, `is missing: ${reason}`),
  );
}

function identityProblems(env: Environment): Problem[] {
  const { MicrosoftAppType: type, ALLOWED_TENANTS, ALLOWED_USERS, ALLOWED_CONVERSATIONS } = env;
  return missing(env, {
    MicrosoftAppType: 'say SingleTenant, UserAssignedMSI or MultiTenant, as the bot was registered',
    MicrosoftAppPassword: type !== 'UserAssignedMSI' && 'the client secret of the registration',
    MicrosoftAppTenantId: type !== 'MultiTenant' && 'the tenant of the registration',
    ALLOWED_TENANTS:
      (ALLOWED_TENANTS ?? ALLOWED_USERS ?? ALLOWED_CONVERSATIONS) === undefined &&
      'list who may use the bot (* for everyone), or set ALLOWED_USERS or ALLOWED_CONVERSATIONS',
  });
}

const NO_USER = 'must list object ids of Microsoft Entra, or *: a mail address or a name is none';
/** The form that an id never has. */
const WRONG_IDS = {
  ADMINS: [/[@\s]/, NO_USER],
  ALLOWED_USERS: [/[@\s]/, NO_USER],
  ALLOWED_TENANTS: [/\./, 'must list ids of tenants, or *: a domain is none'],
} as const;

function idProblems(env: Environment): Problem[] {
  return Object.entries(WRONG_IDS).flatMap(([name, [wrong, message]]) =>
    problemIf(
      listIn(env, name).some((id) => wrong.test(id)),
      name,
      message,
    ),
  );
}

function withoutIdentity(env: Environment): Problem[] {
  if (env.ALLOW_UNAUTHENTICATED === undefined)
    return missing(env, {
      MicrosoftAppId: "the bot's own id (or set ALLOW_UNAUTHENTICATED=1, on loopback only)",
    });
  const isOpen = env.HOST !== undefined && !isLoopback(env.HOST.trim());
  return problemIf(isOpen, 'HOST', 'must be a loopback address while ALLOW_UNAUTHENTICATED is set');
}

const OPTIONAL = ['AUTHORIZE', 'TICKET', 'ENDPOINTS'];

function upstreamProblems(env: Environment): Problem[] {
  return [
    ...missing(env, {
      NAC_URL: "the NAC's address, for example https://nac.example.com",
      NAC_USERNAME: 'the service account that may read sessions',
      NAC_PASSWORD: "the service account's password (or NAC_PASSWORD_FILE)",
      WEBHOOK_URL: "the room's webhook: its base address, or the whole address with its token",
    }),
    ...tokenProblems(env),
    ...OPTIONAL.flatMap((upstream) => allOrNone(env, upstream)),
    ...['NAC', 'WEBHOOK', ...OPTIONAL].flatMap((upstream) => plainHttpProblems(env, upstream)),
  ];
}

/** Addresses that people paste, and those that do not fit. */
const WEBHOOK_FORMS =
  'The whole address is https://HOST/webhook/v2/TOKEN or https://HOST/webhook/TOKEN; {"text"} is posted there, so addresses of Slack, Webex, Power Automate and Teams do not fit';

function tokenProblems(env: Environment): Problem[] {
  const { WEBHOOK_URL, WEBHOOK_TOKEN: token } = env;
  const need = (reason: string) =>
    missing(env, { WEBHOOK_TOKEN: `the webhook's secret token${reason}. ${WEBHOOK_FORMS}` });
  if (WEBHOOK_URL === undefined) return need(', unless WEBHOOK_URL is the whole address');
  const url = parseHttpUrl(WEBHOOK_URL);
  if (url === undefined) return [];
  if (lacksToken(url)) {
    const message = 'must be the base address without /webhook, or the whole address with its token';
    return [{ name: 'WEBHOOK_URL', message }];
  }
  const pasted = splitPastedAddress(url);
  if (pasted === undefined) return need(' (or WEBHOOK_TOKEN_FILE)');
  const message =
    'differs from the token in WEBHOOK_URL: keep that address alone, or a base address and this token';
  return problemIf(token !== undefined && token !== pasted.token, 'WEBHOOK_TOKEN', message);
}

/** Plain http exposes a password or token to the network, so it needs an explicit setting. */
function plainHttpProblems(env: Environment, upstream: string): Problem[] {
  const name = `${upstream}_URL`;
  if (env[`${upstream}_TLS`] === 'insecure') return [];
  const isPlain = ({ protocol, hostname }: URL) => protocol === 'http:' && !isLoopback(hostname);
  const message = `must be https, unless it is on loopback or ${upstream}_TLS=insecure is set`;
  return urlsIn(env, name).some(isPlain) ? [{ name, message }] : detourProblems(env, name);
}

/** Without a proxy, whatever stands in `NO_PROXY` harms nobody. */
function noProxyProblems(env: Environment): Problem[] {
  const name = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  const proxy = env.HTTPS_PROXY ?? env.https_proxy ?? env.HTTP_PROXY ?? env.http_proxy;
  const message =
    'must list hosts, domains (.example.com), addresses or networks (10.0.0.0/8), or *, with commas; :PORT may follow';
  return problemIf(proxy !== undefined && parseNoProxy(env[name] ?? '') === undefined, name, message);
}

/** An http address on loopback is safe only as long as no proxy takes it to another machine. */
function detourProblems(env: Environment, name: string): Problem[] {
  const http = parseProxy(env.http_proxy ?? env.HTTP_PROXY ?? '');
  const isDirect = parseNoProxy(env.no_proxy ?? env.NO_PROXY ?? '');
  if (!http || !isDirect || isLoopback(http.url.hostname)) return [];
  const proxies = { https: undefined, http, isDirect };
  const isLocal = (url: URL) => url.protocol === 'http:' && isLoopback(url.hostname);
  const isWrong = urlsIn(env, name).some((url) => isLocal(url) && proxyFor(proxies, url) !== undefined);
  const message = 'is http on loopback, but HTTP_PROXY is on another machine: name the host in NO_PROXY';
  return problemIf(isWrong, name, message);
}

function urlsIn(env: Environment, name: string): URL[] {
  return (env[name] ?? '').split(',').flatMap((text) => parseHttpUrl(text) ?? []);
}

const listIn = (env: Environment, name: string) => parseList(env[name] ?? '') ?? [];

function allOrNone(env: Environment, upstream: string): Problem[] {
  const all = Object.keys(fields.shape).filter((name) => name.startsWith(`${upstream}_`));
  const names = all.filter((name) => !name.endsWith('_TLS'));
  if (names.every((name) => env[name] === undefined)) return [];
  const reason = `set all of ${names.join(', ')}, or none`;
  return missing(env, Object.fromEntries(names.map((name) => [name, reason])));
}
