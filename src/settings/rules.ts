import { closest, distance } from 'fastest-levenshtein';
import { splitPastedAddress } from '../domain/secret.ts';
import { type Proxies, parseNoProxy, proxyFor } from '../http/connection.ts';
import { isLoopback } from '../http.ts';
import type { Environment, Problem } from './schema.ts';
import { FILE_SECRETS, fields, parseHttpUrl, parseList, parseProxy } from './schema.ts';

type Rule = readonly [isWrong: boolean, name: string, message: string];

const problemsIn = (rules: readonly Rule[]): Problem[] =>
  rules.flatMap(([isWrong, name, message]) => (isWrong ? [{ name, message }] : []));

/** `<NAME>`, also as an address that was copied from a browser has it. */
const PLACEHOLDER = /(?:<|%3C)[A-Z][A-Z0-9_ -]*(?:>|%3E)/;
const LEFT = 'still holds a placeholder in <>: put the real value there';

/** Finds all problems. Reads the plain text, so that a wrong field hides no other problem. */
export function findProblems(env: Environment): Problem[] {
  const left = Object.keys(fields.shape).filter((name) => {
    const value = env[name]?.trim() ?? '';
    const [placeholder] = PLACEHOLDER.exec(value) ?? [];
    const isSecret = FILE_SECRETS.includes(name) && !name.endsWith('_URL');
    return isSecret ? placeholder === value : placeholder !== undefined;
  });
  const issues = fields.safeParse(env).error?.issues ?? [];
  const wrong = issues.map(({ path, message }) => ({ name: String(path[0]), message }));
  const others = [...wrong, ...problemsIn(rulesFor(env))].filter(({ name }) => !left.includes(name));
  return [...left.map((name) => ({ name, message: LEFT })), ...others];
}

/** Finds values that are accepted and may be wrong. Every token has an underscore, so `*_*` is all of them, too. */
export function findDoubts(env: Environment): Problem[] {
  const hasPath = urlsIn(env, 'NAC_URL').some(({ pathname }) => pathname !== '/');
  const ignoresAll = listIn(env, 'TOKENS_IGNORE').some((token) => /^\*+(?:_\*+)?$/.test(token));
  const path = 'has a path behind its host: leave it out, unless a proxy in front of the NAC needs it';
  const all = 'holds *, which stands for every token: none is ever posted or shown';
  return problemsIn([
    [hasPath, 'NAC_URL', path],
    [ignoresAll, 'TOKENS_IGNORE', all],
  ]);
}

const OPTIONAL = ['AUTHORIZE', 'TICKET', 'ENDPOINTS'];

const ID = "the bot's own id (or set ALLOW_UNAUTHENTICATED=1, on loopback only)";
const TYPES = 'say SingleTenant, UserAssignedMSI or MultiTenant, as the bot was registered';
const SECRET = 'the client secret of the registration';
const WHO = 'list who may use the bot (* for everyone), or set ALLOWED_USERS or ALLOWED_CONVERSATIONS';
const NO_USER = 'must list object ids of Microsoft Entra, or *: a mail address or a name is none';
const NO_TENANT = 'must list ids of tenants, or *: a domain is none';
const NO_KEY = 'PERSONAL_SIGN_IN needs 32 bytes in base64, as "openssl rand -base64 32" prints';

function rulesFor(env: Environment): Rule[] {
  const { MicrosoftAppType: type, ALLOWED_TENANTS, ALLOWED_USERS, ALLOWED_CONVERSATIONS, HOST } = env;
  const hasId = env.MicrosoftAppId !== undefined;
  const isOpen = env.ALLOW_UNAUTHENTICATED !== undefined;
  const isAnyone = (ALLOWED_TENANTS ?? ALLOWED_USERS ?? ALLOWED_CONVERSATIONS) === undefined;
  const isFar = HOST !== undefined && !isLoopback(HOST.trim());
  const hasWrong = (name: string, wrong: RegExp) => hasId && listIn(env, name).some((id) => wrong.test(id));
  return [
    missing(env, 'MicrosoftAppId', ID, !isOpen),
    [!hasId && isOpen && isFar, 'HOST', 'must be a loopback address while ALLOW_UNAUTHENTICATED is set'],
    missing(env, 'MicrosoftAppType', TYPES, hasId),
    missing(env, 'MicrosoftAppPassword', SECRET, hasId && type !== 'UserAssignedMSI'),
    missing(env, 'MicrosoftAppTenantId', 'the tenant of the registration', hasId && type !== 'MultiTenant'),
    missing(env, 'ALLOWED_TENANTS', WHO, hasId && isAnyone),
    ...['ADMINS', 'ALLOWED_USERS'].map((name): Rule => [hasWrong(name, /[@\s]/), name, NO_USER]),
    [hasWrong('ALLOWED_TENANTS', /\./), 'ALLOWED_TENANTS', NO_TENANT],
    missing(env, 'NAC_URL', "the NAC's address, for example https://nac.example.com"),
    missing(env, 'NAC_USERNAME', 'the service account that may read sessions'),
    missing(env, 'NAC_PASSWORD', "the service account's password (or NAC_PASSWORD_FILE)"),
    ...webhookRules(env),
    ...OPTIONAL.flatMap((upstream) => allOrNone(env, upstream)),
    ...['NAC', 'WEBHOOK', ...OPTIONAL].map((upstream) => plainHttpRule(env, `${upstream}_URL`)),
    plainHttpRule(env, 'BotOpenIdMetadata'),
    missing(env, 'SECRET_KEY', NO_KEY, env.PERSONAL_SIGN_IN !== undefined),
    noProxyRule(env),
  ];
}

const missing = (env: Environment, name: string, what: string, isNeeded = true): Rule => [
  isNeeded && env[name] === undefined,
  name,
  `is missing: ${what}`,
];

const NO_TOKEN =
  'the secret token (or WEBHOOK_TOKEN_FILE), unless WEBHOOK_URL is the whole address: https://HOST/webhook/v2/TOKEN or https://HOST/webhook/TOKEN. {"text"} is posted there, so addresses of Slack, Webex, Power Automate and Teams do not fit';
const CUT = 'must be the base address without /webhook, or the whole address with its token';
const TWO_TOKENS =
  'differs from the token in WEBHOOK_URL: keep that address alone, or a base address and this token';

function webhookRules(env: Environment): Rule[] {
  const { WEBHOOK_URL: text, WEBHOOK_TOKEN: token } = env;
  const url = parseHttpUrl(text ?? '');
  const pasted = url && splitPastedAddress(url)?.token;
  const isBase = url !== undefined && pasted === undefined;
  return [
    missing(env, 'WEBHOOK_URL', "the room's webhook: its base address, or the whole address with its token"),
    [pasted === '', 'WEBHOOK_URL', CUT],
    missing(env, 'WEBHOOK_TOKEN', NO_TOKEN, isBase || text === undefined),
    [Boolean(pasted) && token !== undefined && token !== pasted, 'WEBHOOK_TOKEN', TWO_TOKENS],
  ];
}

/** Plain http exposes a password or token to the network, so it needs an explicit setting; and with false keys anyone is let in. */
function plainHttpRule(env: Environment, name: string): Rule {
  const tls = name.replace('_URL', '_TLS');
  const proxies = proxiesIn(env);
  const isExposed = (url: URL) => {
    const proxy = proxies && proxyFor(proxies, url)?.url;
    return url.protocol === 'http:' && ![url, proxy ?? url].every(({ hostname }) => isLoopback(hostname));
  };
  const unless = tls === name ? '' : ` or ${tls}=insecure is set`;
  const message = `must be https, unless it is on loopback${unless}. If HTTP_PROXY is on another machine, name the host in NO_PROXY`;
  return [env[tls] !== 'insecure' && urlsIn(env, name).some(isExposed), name, message];
}

/** Returns the way out; undefined if no proxy is set. A name in lower case goes before the same name in upper case, as in curl. */
export function proxiesIn(env: Environment): Proxies | undefined {
  const [https, http] = ['https_proxy', 'http_proxy'].map((name) =>
    parseProxy(env[name] ?? env[name.toUpperCase()] ?? ''),
  );
  const isDirect = parseNoProxy(env.no_proxy ?? env.NO_PROXY ?? '');
  return (https || http) && isDirect ? { https, http, isDirect } : undefined;
}

/** Without a proxy, any text in `NO_PROXY` is harmless. */
function noProxyRule(env: Environment): Rule {
  const name = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  const isUsed = proxiesIn({ ...env, [name]: '' }) !== undefined;
  const message =
    'must list hosts, domains (.example.com), addresses or networks (10.0.0.0/8), or *, with commas; :PORT may follow';
  return [isUsed && parseNoProxy(env[name] ?? '') === undefined, name, message];
}

function allOrNone(env: Environment, upstream: string): Rule[] {
  const all = Object.keys(fields.shape).filter((name) => name.startsWith(`${upstream}_`));
  const names = all.filter((name) => !name.endsWith('_TLS'));
  const isNeeded = names.some((name) => env[name] !== undefined);
  return names.map((name) => missing(env, name, `set all of ${names.join(', ')}, or none`, isNeeded));
}

const urlsIn = (env: Environment, name: string) =>
  (env[name] ?? '').split(',').flatMap((text) => parseHttpUrl(text) ?? []);

const listIn = (env: Environment, name: string) => parseList(env[name] ?? '') ?? [];

const KNOWN = [...Object.keys(fields.shape), ...FILE_SECRETS.map((name) => `${name}_FILE`)];

/** The prefixes of names that no other program uses. */
const UPSTREAMS = /^(?:nac|webhook|authorize|ticket|endpoints)_/i;

/** Finds names that are no setting's, but differ from one by case, by a few letters or by a part. Leaves a machine's own alone. */
export function findMisspelt(environment: Environment): Problem[] {
  return Object.keys(environment).flatMap((name) => {
    if (KNOWN.includes(name)) return [];
    const near = KNOWN.filter((known) => isNear(name, known));
    const meant = near.find((known) => flat(known).startsWith(flat(name))) ?? closest(name, near);
    return meant === undefined ? [] : [{ name, message: `is no setting: is ${meant} meant?` }];
  });
}

function isNear(name: string, known: string): boolean {
  const [given, wanted] = [flat(name), flat(known)];
  if (/_proxy$/i.test(name)) return given === wanted; // ALL_PROXY and its like are other programs'.
  if (distance(given, wanted) <= Math.min(3, Math.floor(wanted.length / 4))) return true;
  const [one, other] = [partsOf(name), partsOf(known)];
  const common = one.filter((part) => other.includes(part)).length;
  const needed = UPSTREAMS.test(name) ? 1 : 2; // Other programs have a part such as PORT or WATCH, too.
  const isAlike = one.length !== other.length || one[0] === other[0];
  if (other.length > 1 && given.startsWith(wanted)) return true; // PUBLIC_HOSTNAME
  return isAlike && common >= needed && common === Math.max(one.length, other.length) - 1;
}

const flat = (name: string) => name.toLowerCase().replaceAll('_', '');

const partsOf = (name: string) => name.split(/_|(?<=[a-z])(?=[A-Z])/).map((part) => part.toLowerCase());
