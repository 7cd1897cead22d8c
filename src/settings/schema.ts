import { z } from 'zod';
import { isWebhookToken } from '../domain/webhook-address.ts';
import { PROXY_FAULT, parseProxy } from './proxy-settings.ts';
import {
  BASIC_FAULT,
  flag,
  isAlertsToken,
  isBasicPart,
  keys,
  list,
  nacLink,
  oneOf,
  parsed,
  publicUrl,
  secret,
  tls,
  trustedUrl,
  unlessZero,
  url,
  urls,
  whole,
} from './values.ts';

const port = whole(0, 65_535);
const proxy = parsed(parseProxy, PROXY_FAULT).optional();

/** One schema for each setting alone; `rules.ts` checks settings against each other. No message quotes a value. */
export const fields = z.object({
  PORT: port.default(3978),
  HOST: z.string().optional(),
  OPS_PORT: port.default(9464),
  OPS_HOST: z.string().default('127.0.0.1'),

  MicrosoftAppId: z.string().trim().optional(),
  MicrosoftAppPassword: secret(),
  MicrosoftAppType: oneOf('SingleTenant', 'UserAssignedMSI', 'MultiTenant').optional(),
  MicrosoftAppTenantId: z.string().trim().optional(),
  BotOpenIdMetadata: trustedUrl().optional(),
  ToChannelFromBotLoginUrl: trustedUrl().optional(),
  ALLOW_UNAUTHENTICATED: flag(),
  SERVICE_HOSTS: list(),

  NAC_URL: urls(2).optional(),
  NAC_USERNAME: z
    .string()
    .refine(isBasicPart, BASIC_FAULT)
    .refine((name) => !name.includes(':'), 'must not contain a colon: HTTP Basic cannot carry one (RFC 7617)')
    .optional(),
  NAC_PASSWORD: secret(isBasicPart, BASIC_FAULT),
  NAC_MAC_FORM: oneOf('colon', 'hyphen').default('colon'),
  NAC_TIMEOUT_MS: whole(1, 600_000).default(20_000),
  NAC_CONCURRENCY: whole(1, 1000).default(4),
  NAC_HISTORY: unlessZero(),
  NAC_LINK: nacLink().optional(),
  TOKENS_IGNORE: list(),

  WEBHOOK_URL: url().optional(),
  WEBHOOK_TOKEN: secret(isWebhookToken, 'must be the token alone, without slashes or spaces'),
  WEBHOOK_FORM: oneOf('v2', 'legacy').default('v2'),

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

  DATABASE_URL: secret(
    (text) => /^postgres(ql)?:\/\//.test(text),
    'must be a Postgres address: postgres://...',
  ),
  DATA_DIR: z.string().default('.data'),
  PERSONAL_SIGN_IN: flag(),
  PERSONAL_TTL_HOURS: z.coerce
    .number('must be a number of hours')
    .positive('must be above 0')
    .max(8760, 'must be at most 8760 (one year)')
    .default(8),
  SECRET_KEY: keys().optional(),

  HTTPS_PROXY: proxy,
  https_proxy: proxy,
  HTTP_PROXY: proxy,
  http_proxy: proxy,
  NO_PROXY: z.string().optional(),
  no_proxy: z.string().optional(),

  ALLOWED_TENANTS: list(),
  ALLOWED_USERS: list(),
  ALLOWED_CONVERSATIONS: list(),
  ALLOWED_CHANNELS: list(),
  ADMINS: list(),
  ALERTS_TOKEN: secret(isAlertsToken, 'must have 16 characters or more: openssl rand -hex 24 makes one'),
  PUBLIC_HOST: publicUrl().optional(),
  STOP_DELAY_MS: whole(0, 600_000).default(0),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  AUDIT: unlessZero(),
});

export type Fields = z.output<typeof fields>;
