import { z } from 'zod';
import { isWebhookToken, Secret } from '../domain/secret.ts';
import { decodeUri } from '../domain/text.ts';
import { type ProxyServer, parseTlsMode } from '../http/connection.ts';
import { isLoopback } from '../http.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong setting. `message` follows the name in a sentence and never quotes a secret. */
export type Problem = { name: string; message: string };

function parsed<T>(parse: (text: string) => T | undefined, message: string) {
  const isRead = (value: T | undefined) => value !== undefined;
  return z.string().transform(parse).refine(isRead, message).optional();
}

function whole(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  const digits = z.string().regex(/^\d{1,9}$/, message);
  return digits.transform(Number).pipe(z.number().min(min, message).max(max, message));
}

function oneOf<const Values extends readonly string[]>(...values: Values) {
  return z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
}

const CONTROLS_FAULT = 'must not contain control characters';

/** A line end at its end, which an editor leaves in a file, would make a secret another one. */
function secret(passes: (text: string) => boolean = hasNoControls, message = CONTROLS_FAULT) {
  return parsed((text) => (passes(text) ? new Secret(text) : undefined), message);
}

const text = z.string().optional();
const host = parsed(
  (text) => text.trim().replace(/^\[|\]$/g, '') || undefined,
  'must be an address of this machine',
);
const port = whole(0, 65_535);
const flag = z.literal('1', 'must be 1 or unset').transform(Boolean).default(false);
const isOn = z.stringbool({ truthy: ['1', 'on'], falsy: ['0'], error: 'must be 0, 1 or on' }).default(true);
const list = parsed(parseList, 'must name at least one entry, or be unset');
const URL_FAULT = 'must be an http or https address without user name, query or fragment';
const url = parsed(parseUrl, URL_FAULT);

const HOURS = 'must be a number of hours above 0, and at most 8760 (one year)';
const tls = z
  .string()
  .default('verify')
  .transform(parseTlsMode)
  .refine((mode) => typeof mode !== 'string', { error: ({ input }) => String(input) })
  .transform((mode) => (typeof mode === 'string' ? z.NEVER : mode));
const proxy = parsed(
  parseProxy,
  'must be http://HOST:PORT or https://HOST:PORT, with USER:PASSWORD@ before the host if the proxy asks for them, and special characters as %XX',
);
const username = z
  .string()
  .refine(hasNoControls, CONTROLS_FAULT)
  .refine((name) => !name.includes(':'), 'must not contain a colon: HTTP Basic cannot carry one (RFC 7617)')
  .optional();

const each = <Schema, const Name extends string>(schema: Schema, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;

export const PUBLIC_HOST_FAULT =
  'must be a full DNS host name without port, user name or path, for example bot.example.com';

/** Each setting alone, by its form; `rules.ts` checks settings against each other. No message quotes a value. */
export const fields = z.object({
  ...each(url, 'WEBHOOK_URL', 'AUTHORIZE_URL', 'TICKET_URL', 'ENDPOINTS_URL'),
  ...each(username, 'NAC_USERNAME', 'ENDPOINTS_USERNAME'),
  ...each(text, 'AUTHORIZE_SDK_PREFIX', 'AUTHORIZE_USERNAME', 'TICKET_USERNAME', 'NO_PROXY', 'no_proxy'),
  ...each(secret(), 'MicrosoftAppPassword', 'NAC_PASSWORD', 'AUTHORIZE_PASSWORD'),
  ...each(secret(), 'TICKET_PASSWORD', 'ENDPOINTS_PASSWORD'),
  ...each(tls, 'NAC_TLS', 'WEBHOOK_TLS', 'AUTHORIZE_TLS', 'TICKET_TLS', 'ENDPOINTS_TLS'),
  ...each(proxy, 'HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'),
  ...each(list, 'ALLOWED_TENANTS', 'ALLOWED_USERS', 'ALLOWED_CONVERSATIONS', 'ALLOWED_CHANNELS'),
  ...each(list, 'ADMINS', 'TOKENS_IGNORE'),
  ...each(flag, 'ALLOW_UNAUTHENTICATED', 'LOOKUP_BY_USER', 'PERSONAL_SIGN_IN'),
  ...each(isOn, 'NAC_HISTORY', 'AUDIT', 'WATCH'),

  PORT: port.default(3978),
  HOST: host,
  OPS_PORT: port.default(9464),
  OPS_HOST: host.default('127.0.0.1'),
  MicrosoftAppId: parsed((text) => text.trim() || undefined, 'must be the id of the registration'),
  MicrosoftAppType: oneOf('SingleTenant', 'UserAssignedMSI', 'MultiTenant').optional(),
  MicrosoftAppTenantId: parsed(
    (text) => /^[\w.-]+$/.exec(text.trim())?.[0],
    'must be the id of the registration, and nothing else: letters, digits and hyphens',
  ),
  BotOpenIdMetadata: url,
  ToChannelFromBotLoginUrl: url.refine((each) => !each || each.protocol === 'https:', 'must be https'),
  SERVICE_HOSTS: list.refine(
    (hosts) => hosts === undefined || hosts.every(isServiceHost),
    'must name hosts alone, with *. in front for all below one, and :PORT behind for another port than 443',
  ),
  NAC_URL: parsed(parseUrls, `${URL_FAULT}, or two with a comma`),
  NAC_MAC_FORM: oneOf('colon', 'hyphen').default('colon'),
  NAC_TIMEOUT_MS: whole(1, 600_000).default(20_000),
  NAC_CONCURRENCY: whole(1, 1000).default(4),
  NAC_LINK: parsed(
    parseNacLink,
    'must be an https address without user name that holds {mac} behind its host, for example https://nac.example.com/endpoint?mac={mac}',
  ),
  WEBHOOK_TOKEN: secret(isWebhookToken, 'must be the token alone, without slashes or spaces'),
  WEBHOOK_FORM: oneOf('v2', 'legacy').default('v2'),
  DATABASE_URL: secret(
    isPostgresUrl,
    'must be a Postgres address, postgres://..., with special characters in user name and password as %XX: % is %25, @ is %40, / is %2F, : is %3A',
  ),
  DATA_DIR: z.string().default('.data'),
  PERSONAL_TTL_HOURS: z.coerce.number(HOURS).positive(HOURS).max(8760, HOURS).default(8),
  SECRET_KEY: parsed(
    parseKeys,
    'must be 32 bytes in base64, or two such keys with a comma: the new one, then the old',
  ),
  // Requests guess two characters within a second.
  ALERTS_TOKEN: secret(
    (text) => /^(?=.{16})[!-~][ -~]*[!-~]$/.test(text), // A header carries no others.
    'must have 16 characters or more, of ASCII, and no blank at either end: openssl rand -hex 24 makes one',
  ),
  PUBLIC_HOST: parsed(parsePublicUrl, PUBLIC_HOST_FAULT),
  STOP_DELAY_MS: whole(0, 600_000).default(0),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
});

export type Fields = z.output<typeof fields>;

/** The secrets, and the addresses that hold one: each can be given as `X_FILE`, the path of a file. */
export const FILE_SECRETS = Object.keys(fields.shape).filter((name) =>
  /(?:Password|_PASSWORD|_TOKEN|_KEY)$|^(?:WEBHOOK|DATABASE)_URL$/.test(name),
);

/** Whether HTTP Basic can carry a user name or a password (RFC 7617, section 2). */
function hasNoControls(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** Whether the account in an address needs no more escapes: one `@` ends it, and each `%` begins an escape. */
function isPostgresUrl(text: string): boolean {
  const [, place = '@@'] = /^postgres(?:ql)?:\/\/([^?]*)/.exec(text) ?? [];
  const account = place.slice(0, Math.max(0, place.lastIndexOf('@')));
  return !/[@/#]|%(?![0-9a-f]{2})/i.test(account);
}

function parseKeys(text: string) {
  const isKey = (each: string) =>
    /^[A-Za-z0-9+/]+={0,2}$/.test(each) && Buffer.from(each, 'base64').length === 32;
  const [first = '', ...older] = text.split(',').map((key) => key.trim());
  if (older.length > 1 || ![first, ...older].every(isKey)) return undefined;
  return [new Secret(first), ...older.map((key) => new Secret(key))] as const;
}

function isServiceHost(entry: string): boolean {
  const name = entry.replace(/^\*\./, '');
  return URL.parse(`https://${name}`)?.host === name.toLowerCase().replace(/:443$/, '') && !/[/*]/.test(name);
}

export function parseList(text: string): readonly string[] | undefined {
  const items = text.split(',').flatMap((item) => item.trim() || []);
  return items.length > 0 ? items : undefined;
}

export function parseHttpUrl(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function parseUrls(text: string): URL[] | undefined {
  const urls = text.split(',').flatMap((each) => parseUrl(each) ?? []);
  return urls.length === text.split(',').length && urls.length <= 2 ? urls : undefined;
}

function parseUrl(text: string): URL | undefined {
  const url = parseHttpUrl(text);
  return url?.username || url?.password || url?.search || url?.hash ? undefined : url;
}

export function parseProxy(text: string): ProxyServer | undefined {
  const url = parseHttpUrl(text);
  if (url?.pathname !== '/' || url.search || url.hash) return undefined;
  const [username, password] = [decodeUri(url.username), decodeUri(url.password)];
  if (username === undefined || password === undefined || username.includes(':')) return undefined;
  if (!hasNoControls(username) || !hasNoControls(password)) return undefined;
  const account = username || password ? { username, password: new Secret(password) } : undefined;
  return { url: new URL(url.origin), account };
}

function parseNacLink(text: string): string | undefined {
  const link = text.trim();
  // In a user name, host or port, the colons of a MAC address make another address or none.
  const filled = URL.parse(link.replaceAll('{mac}', '00:00:00:00:00:00'));
  const isFit = filled?.protocol === 'https:' && !filled.username && !filled.password;
  return isFit && link.includes('{mac}') ? link : undefined;
}

/** Two or more labels of letters, digits and inner hyphens (RFC 1123, section 2.1); the last label is not a number. */
const DNS_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Reads a host, also out of a pasted address: https on port 443 of a DNS name, http on any port of this machine. */
export function parsePublicUrl(text: string): URL | undefined {
  const host = text.trim().replace(/^https?:\/\/|[/?#].*$/gi, '');
  const url = URL.parse(`https://${host}`);
  if (!url || url.username || url.password) return undefined;
  if (isLoopback(url.hostname)) return new URL(`http://${host}`); // No proxy ends TLS there.
  return url.port === '' && DNS_NAME.test(url.hostname) ? url : undefined;
}
