import type { Keys } from './credentials/seal.ts';
import type { MacForm } from './domain/mac-address.ts';
import { Secret } from './domain/secret.ts';
import { isLoopback, type ServiceHosts } from './http/hosts.ts';
import type { Proxies } from './http/proxy.ts';
import type { TlsMode } from './http/trust.ts';
import {
  type Environment,
  type FileSecret,
  type Problem,
  type ResolvedEnvironment,
  resolveFileSecrets,
} from './settings/environment.ts';
import { proxiesOf } from './settings/proxy-settings.ts';
import { findRuleProblems } from './settings/rules.ts';
import { type Fields, fields, isAlertsToken, parseHttpUrl } from './settings/schema.ts';
import type { Identity } from './teams/authentication/app-tokens.ts';
import { isWebhookToken, splitPastedAddress, type WebhookAddress } from './webhook/address.ts';

/** The bot's whole configuration. Times are in milliseconds unless a name says otherwise. */
export type Settings = Readonly<{
  listen: { host: string; port: number };
  /** Undefined: no metrics. */
  ops: { host: string; port: number } | undefined;
  /** Undefined: authentication is off, on loopback only. */
  identity: Identity | undefined;
  serviceHosts: ServiceHosts;
  nac: {
    addresses: readonly URL[];
    username: string;
    password: Secret;
    macForm: MacForm;
    timeoutMs: number;
    concurrency: number;
    /** Whether the NAC is asked for a device's last authentications. */
    history: boolean;
    /** The NAC's own page for a device, with `{mac}` where its address belongs; undefined: cards have no link to it. */
    link: string | undefined;
    /** Tokens that are neither posted nor shown; `*` stands for any part. */
    ignoredTokens: readonly string[];
    tls: TlsMode;
  };
  webhook: { address: () => WebhookAddress; tls: TlsMode };
  authorize: { url: URL; sdkPrefix: string; username: string; password: Secret; tls: TlsMode } | undefined;
  ticket: { url: URL; username: string; password: Secret; tls: TlsMode } | undefined;
  /** The way out; undefined: every way is direct. */
  proxies: Proxies | undefined;
  database: { url: Secret } | { directory: string };
  /** Where the bot's own files are, with a database server too. */
  dataDirectory: string;
  personal: { signIn: boolean; ttlHours: number; keys: Keys | undefined };
  /** Undefined: everyone. */
  allowed: Readonly<
    Record<'tenants' | 'users' | 'conversations' | 'admins', readonly string[] | undefined> & {
      channels: readonly string[];
    }
  >;
  alertsToken: Secret | undefined;
  /** Where others reach the bot, for the addresses that it tells; undefined: nobody has said. */
  publicUrl: URL | undefined;
  /** How long the listener stays open while `/readyz` says that the bot stops. */
  stopDelayMs: number;
  logLevel: Fields['LOG_LEVEL'];
  /** Whether each finished lookup gets a line in the log, whatever the level. */
  audit: boolean;
}>;

/** Reads every setting from the environment and the files that it names. Returns all problems, not just the first. */
export function readSettings(environment: Environment): { settings: Settings } | { problems: Problem[] } {
  const { env, files, problems } = resolveFileSecrets(environment);
  const parsed = fields.safeParse(env);
  const fieldProblems = (parsed.error?.issues ?? []).map((issue) => ({
    name: String(issue.path[0]),
    message: issue.message,
  }));
  const all = [...problems, ...fieldProblems, ...findRuleProblems(env)];
  return parsed.success && all.length === 0 ? { settings: assemble(parsed.data, files) } : { problems: all };
}

/** The message for the operator: each problem on a line, and what to do. */
export function describeProblems(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? '1 setting needs' : `${problems.length} settings need`;
  const lines = problems.map(({ name, message }) => `  ${name} ${message}\n`).join('');
  return `The bot cannot start: ${count} attention.\n${lines}Set them in the environment (README, "Settings"), or try the bot without settings: npm run sandbox\n`;
}

/** The Bot Framework's own hosts and Teams' relay (Bot Connector API, "base URI"). */
const CHANNEL_HOSTS = ['*.botframework.com', 'smba.trafficmanager.net', '*.teams.microsoft.com'];

const OPEN_CHANNELS = ['msteams', 'emulator', 'webchat'];

type Files = ResolvedEnvironment['files'];

function assemble(f: Fields, files: Files): Settings {
  const live = (name: FileSecret, secret: Secret | undefined, passes = (_text: string) => true) =>
    files[name] ? new Secret(lastThat(passes, files[name])) : secret;
  const isOpen = f.MicrosoftAppId === undefined;
  return deepFreeze({
    listen: { host: f.HOST ?? (isOpen ? '127.0.0.1' : '0.0.0.0'), port: f.PORT },
    ops: f.OPS_PORT === 0 ? undefined : { host: f.OPS_HOST, port: f.OPS_PORT },
    identity: identityOf(f, live('MicrosoftAppPassword', f.MicrosoftAppPassword)),
    serviceHosts: {
      names: f.SERVICE_HOSTS ?? CHANNEL_HOSTS,
      loopback: isOpen && f.SERVICE_HOSTS === undefined,
    },
    nac: {
      addresses: given(f.NAC_URL),
      username: given(f.NAC_USERNAME),
      password: given(live('NAC_PASSWORD', f.NAC_PASSWORD)),
      macForm: f.NAC_MAC_FORM,
      timeoutMs: f.NAC_TIMEOUT_MS,
      concurrency: f.NAC_CONCURRENCY,
      history: f.NAC_HISTORY,
      link: f.NAC_LINK,
      ignoredTokens: f.TOKENS_IGNORE ?? [],
      tls: f.NAC_TLS,
    },
    webhook: { address: webhookAddress(f, files), tls: f.WEBHOOK_TLS },
    authorize: f.AUTHORIZE_URL && {
      url: f.AUTHORIZE_URL,
      sdkPrefix: given(f.AUTHORIZE_SDK_PREFIX),
      username: given(f.AUTHORIZE_USERNAME),
      password: given(live('AUTHORIZE_PASSWORD', f.AUTHORIZE_PASSWORD)),
      tls: f.AUTHORIZE_TLS,
    },
    ticket: f.TICKET_URL && {
      url: f.TICKET_URL,
      username: given(f.TICKET_USERNAME),
      password: given(live('TICKET_PASSWORD', f.TICKET_PASSWORD)),
      tls: f.TICKET_TLS,
    },
    proxies: proxiesOf(f),
    database: f.DATABASE_URL ? { url: f.DATABASE_URL } : { directory: f.DATA_DIR },
    dataDirectory: f.DATA_DIR,
    personal: { signIn: f.PERSONAL_SIGN_IN, ttlHours: f.PERSONAL_TTL_HOURS, keys: f.SECRET_KEY },
    allowed: {
      tenants: f.ALLOWED_TENANTS,
      users: f.ALLOWED_USERS,
      conversations: f.ALLOWED_CONVERSATIONS,
      admins: f.ADMINS ?? (isOpen ? undefined : []),
      channels: f.ALLOWED_CHANNELS ?? (isOpen ? OPEN_CHANNELS : ['msteams']),
    },
    alertsToken: live('ALERTS_TOKEN', f.ALERTS_TOKEN, isAlertsToken),
    publicUrl: f.PUBLIC_HOST,
    stopDelayMs: f.STOP_DELAY_MS,
    logLevel: f.LOG_LEVEL,
    audit: f.AUDIT,
  });
}

function identityOf(f: Fields, password: Secret | undefined): Identity | undefined {
  if (f.MicrosoftAppId === undefined) return undefined;
  return {
    appId: f.MicrosoftAppId,
    password,
    type: given(f.MicrosoftAppType),
    tenantId: f.MicrosoftAppTenantId,
    openIdMetadata: f.BotOpenIdMetadata,
    loginUrl: f.ToChannelFromBotLoginUrl,
  };
}

/** Returns the present address. While the file holds no valid address, returns the last valid one. */
function webhookAddress(f: Fields, files: Files): () => WebhookAddress {
  const first = given(f.WEBHOOK_URL);
  const token = files.WEBHOOK_TOKEN
    ? new Secret(lastThat(isWebhookToken, files.WEBHOOK_TOKEN))
    : f.WEBHOOK_TOKEN;
  const read = files.WEBHOOK_URL ?? (() => first.href);
  let text = read();
  let address = given(parse(first));
  return () => {
    const now = read();
    if (now !== text) address = parse(parseHttpUrl(now)) ?? address;
    text = now;
    return address;
  };

  /** Accepts no weaker address than the first: https stays https, and loopback stays loopback. */
  function parse(url: URL | undefined): WebhookAddress | undefined {
    if (url?.protocol !== first.protocol || isLoopback(url.hostname) !== isLoopback(first.hostname))
      return undefined;
    const pasted = splitPastedAddress(url);
    if (pasted) return { base: pasted.base, form: pasted.form, token: new Secret(pasted.token) };
    return token && { base: url, form: f.WEBHOOK_FORM, token };
  }
}

/** Returns the present value if it passes, else the last value that passed. */
function lastThat(passes: (text: string) => boolean, read: () => string): () => string {
  let last = read();
  return () => {
    const now = read();
    if (passes(now)) last = now;
    return last;
  };
}

/** For values whose presence the rules have already checked. */
function given<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a setting that the rules require is missing');
  return value;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof URL) && !Object.isFrozen(value)) {
    for (const each of Object.values(value)) deepFreeze(each);
    Object.freeze(value);
  }
  return value;
}
