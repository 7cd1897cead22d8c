import { z } from 'zod';
import { Secret } from '../domain/secret.ts';
import { isLoopback } from '../http/hosts.ts';
import { parseTlsMode } from '../http/trust.ts';
import { isWebhookToken } from '../webhook/address.ts';
import { NAC_LINK_FAULT, parseNacLink } from './nac-link.ts';
import { PROXY_FAULT, parseProxy } from './proxy-settings.ts';
import { PUBLIC_HOST_FAULT, parsePublicUrl } from './public-host.ts';

/** One schema for each setting alone; `rules.ts` checks settings against each other. No message quotes a value. */
export const fields = z.object({
  PORT: port().default(3978),
  HOST: z.string().optional(),
  OPS_PORT: port().default(9464),
  OPS_HOST: z.string().default('127.0.0.1'),

  MicrosoftAppId: z.string().trim().optional(),
  MicrosoftAppPassword: secret(),
  MicrosoftAppType: z
    .enum(
      ['SingleTenant', 'UserAssignedMSI', 'MultiTenant'],
      'must be SingleTenant, UserAssignedMSI or MultiTenant',
    )
    .optional(),
  MicrosoftAppTenantId: z.string().trim().optional(),
  BotOpenIdMetadata: trustedUrl().optional(),
  ToChannelFromBotLoginUrl: trustedUrl().optional(),
  ALLOW_UNAUTHENTICATED: flag(),
  SERVICE_HOSTS: list().optional(),

  NAC_URL: urls(2).optional(),
  NAC_USERNAME: basicPart()
    .refine((name) => !name.includes(':'), 'must not contain a colon: HTTP Basic cannot carry one (RFC 7617)')
    .optional(),
  NAC_PASSWORD: basicPart()
    .transform((text) => new Secret(text))
    .optional(),
  NAC_MAC_FORM: z.enum(['colon', 'hyphen'], 'must be colon or hyphen').default('colon'),
  NAC_TIMEOUT_MS: whole(1, 600_000).default(20_000),
  NAC_CONCURRENCY: whole(1, 1000).default(4),
  NAC_HISTORY: unlessZero(),
  NAC_LINK: z
    .string()
    .transform((text, context) => parseNacLink(text) ?? fault(context, NAC_LINK_FAULT))
    .optional(),
  TOKENS_IGNORE: list().optional(),

  WEBHOOK_URL: url().optional(),
  WEBHOOK_TOKEN: z
    .string()
    .refine(isWebhookToken, 'must be the token alone, without slashes or spaces')
    .transform((text) => new Secret(text))
    .optional(),
  WEBHOOK_FORM: z.enum(['v2', 'legacy'], 'must be v2 or legacy').default('v2'),

  AUTHORIZE_URL: url().optional(),
  AUTHORIZE_SDK_PREFIX: z.string().optional(),
  AUTHORIZE_USERNAME: z.string().optional(),
  AUTHORIZE_PASSWORD: secret(),
  TICKET_URL: url().optional(),
  TICKET_USERNAME: z.string().optional(),
  TICKET_PASSWORD: secret(),

  NAC_TLS: tls(),
  WEBHOOK_TLS: tls(),
  AUTHORIZE_TLS: tls(),
  TICKET_TLS: tls(),

  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a Postgres address: postgres://...')
    .transform((text) => new Secret(text))
    .optional(),
  DATA_DIR: z.string().default('.data'),
  PERSONAL_SIGN_IN: flag(),
  PERSONAL_TTL_HOURS: z.coerce
    .number('must be a number of hours')
    .positive('must be above 0')
    .max(8760, 'must be at most 8760 (one year)')
    .default(8),
  SECRET_KEY: keys().optional(),

  HTTPS_PROXY: proxy(),
  https_proxy: proxy(),
  HTTP_PROXY: proxy(),
  http_proxy: proxy(),
  NO_PROXY: z.string().optional(),
  no_proxy: z.string().optional(),

  ALLOWED_TENANTS: list().optional(),
  ALLOWED_USERS: list().optional(),
  ALLOWED_CONVERSATIONS: list().optional(),
  ALLOWED_CHANNELS: list().optional(),
  ADMINS: list().optional(),
  ALERTS_TOKEN: z
    .string()
    .refine(isAlertsToken, 'must have 16 characters or more: openssl rand -hex 24 makes one')
    .transform((text) => new Secret(text))
    .optional(),
  PUBLIC_HOST: z
    .string()
    .transform((text, context) => parsePublicUrl(text) ?? fault(context, PUBLIC_HOST_FAULT))
    .optional(),
  STOP_DELAY_MS: whole(0, 600_000).default(0),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
  AUDIT: unlessZero(),
});

export type Fields = z.output<typeof fields>;

function whole(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);
}

function port() {
  return whole(0, 65_535);
}

function flag() {
  return z
    .literal('1', 'must be 1 or unset')
    .optional()
    .transform((value) => value === '1');
}

function unlessZero() {
  return z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('1')
    .transform((value) => value === '1');
}

function secret() {
  return z
    .string()
    .transform((text) => new Secret(text))
    .optional();
}

/** A user name or password for HTTP Basic, which forbids control characters (RFC 7617, section 2). */
function basicPart() {
  return z.string().regex(/^\P{Cc}*$/u, 'must not contain control characters');
}

/** The new key, and perhaps the old one. */
function keys() {
  return z.string().transform((text, context) => {
    const [first = '', ...older] = text.split(',').map((key) => key.trim());
    if (older.length > 1 || ![first, ...older].every(isKey))
      return fault(
        context,
        'must be 32 bytes in base64, or two such keys with a comma: the new one, then the old',
      );
    return [new Secret(first), ...older.map((key) => new Secret(key))] as const;
  });
}

function list() {
  return z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    )
    .refine((items) => items.length > 0, 'must name at least one entry, or be unset');
}

const URL_FAULT = 'must be an http or https address without user name, query or fragment';

function parseUrl(text: string): URL | undefined {
  const url = parseHttpUrl(text);
  return url?.username || url?.password || url?.search || url?.hash ? undefined : url;
}

function url() {
  return z.string().transform((text, context) => parseUrl(text) ?? fault(context, URL_FAULT));
}

/** A source of keys or tokens: over plain http, anyone on the path could replace them. */
function trustedUrl() {
  return url().refine(
    ({ protocol, hostname }) => protocol === 'https:' || isLoopback(hostname),
    'must be https, unless it is on loopback',
  );
}

function urls(most: number) {
  return z.string().transform((text, context) => {
    const parsed = text.split(',').map(parseUrl);
    if (parsed.length > most) return fault(context, `must be one address, or ${most} separated by a comma`);
    return parsed.every((each) => each !== undefined) ? parsed : fault(context, URL_FAULT);
  });
}

function tls() {
  return z
    .string()
    .default('verify')
    .transform((text, context) => {
      const mode = parseTlsMode(text);
      return typeof mode === 'string' ? fault(context, mode) : mode;
    });
}

function proxy() {
  return z
    .string()
    .transform((text, context) => parseProxy(text) ?? fault(context, PROXY_FAULT))
    .optional();
}

function fault(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** Whether a token of alerts is long enough: requests guess two characters within a second. */
export function isAlertsToken(text: string): boolean {
  return text.length >= 16;
}

function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text, 'base64').length === 32;
}

/** Parses a pasted http or https address and drops blanks around it. Returns undefined for any other text. */
export function parseHttpUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
