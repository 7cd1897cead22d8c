import { Secret, splitPastedAddress, type WebhookAddress } from './domain/secret.ts';
import { type Environment, type Problem, resolveFileSecrets } from './settings/environment.ts';
import { findDoubts, findMisspelt, findProblems, proxiesIn } from './settings/rules.ts';
import { type Fields, fields, parseHttpUrl } from './settings/schema.ts';

/** The bot's whole configuration. Times are in milliseconds unless a name says otherwise. */
export type Settings = ReturnType<typeof assemble> & {
  /** Values that are accepted and may be wrong. */
  doubts: readonly Problem[];
};

export type Read = { settings: Settings } | { problems: Problem[] };

export function readSettings(environment: Environment): Read {
  const resolved = resolveFileSecrets(environment);
  const { env } = resolved;
  const inFiles = resolved.problems.map(({ name }) => name.replace(/_FILE$/, ''));
  const others = findProblems(env).filter(({ name }) => !inFiles.includes(name));
  const problems = [...resolved.problems, ...others];
  const misspelt = findMisspelt(env);
  if (problems.length > 0) return { problems: [...problems, ...misspelt] };
  const settings = assemble(fields.parse(env), resolved);
  return { settings: { ...settings, doubts: [...misspelt, ...findDoubts(env)] } };
}

/** The required settings, for a command that needs none of them. */
const STAND_INS: Environment = {
  ALLOW_UNAUTHENTICATED: '1',
  NAC_URL: 'https://nac.invalid',
  NAC_USERNAME: 'nobody',
  NAC_PASSWORD: 'none',
  WEBHOOK_URL: 'https://webhook.invalid',
  WEBHOOK_TOKEN: 'none',
};

/** Reads only settings with these names, for a command that needs no others. The rest of the result means nothing. */
export function readSettingsNamed(names: RegExp, environment: Environment): Read {
  const own = Object.entries(environment).filter(([name]) => names.test(name));
  return readSettings({ ...STAND_INS, ...Object.fromEntries(own) });
}

/** The message for the operator: each problem on a line, and the next step. */
export function describeProblems(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? '1 setting needs' : `${problems.length} settings need`;
  return `The bot cannot start: ${count} attention.\n${linesOf(problems)}Set them in the environment (docs/settings.md), or try the bot without settings: npm run sandbox\n`;
}

export function linesOf(problems: readonly Problem[]): string {
  return problems.map(({ name, message }) => `  ${name} ${message}\n`).join('');
}

/** The Bot Framework's own hosts and Teams' relay (Bot Connector API, "base URI"). */
const CHANNEL_HOSTS = ['*.botframework.com', 'smba.trafficmanager.net', '*.teams.microsoft.com'];

/** Where it publishes its signing keys (Bot Connector authentication, step 3). */
const BOT_FRAMEWORK_METADATA = new URL('https://login.botframework.com/v1/.well-known/openidconfiguration');

const OPEN_CHANNELS = ['msteams', 'emulator', 'webchat'];

type Prefix = 'NAC' | 'AUTHORIZE' | 'TICKET' | 'ENDPOINTS';
type ResolvedEnvironment = ReturnType<typeof resolveFileSecrets>;

/** Fields that the rules have checked become the settings. Secrets follow their files. */
function assemble(f: Fields, read: ResolvedEnvironment) {
  const account = accountsIn(f, read);
  const isOpen = f.MicrosoftAppId === undefined;
  return {
    listen: { host: f.HOST ?? (isOpen ? '127.0.0.1' : '0.0.0.0'), port: f.PORT },
    /** Undefined: no metrics. */
    ops: f.OPS_PORT === 0 ? undefined : { host: f.OPS_HOST, port: f.OPS_PORT },
    identity: identityIn(f, read),
    serviceHosts: { names: f.SERVICE_HOSTS ?? CHANNEL_HOSTS, loopback: isOpen && !f.SERVICE_HOSTS },
    nac: { ...account('NAC'), ...nacIn(f) },
    webhook: { address: webhookAddress(f, read), tls: f.WEBHOOK_TLS },
    authorize: f.AUTHORIZE_URL && {
      url: f.AUTHORIZE_URL,
      sdkPrefix: given(f.AUTHORIZE_SDK_PREFIX),
      ...account('AUTHORIZE'),
    },
    ticket: f.TICKET_URL && { url: f.TICKET_URL, ...account('TICKET') },
    /** The NAC's administration node, which knows devices without a session; undefined: it is not asked. */
    endpoints: f.ENDPOINTS_URL && { url: f.ENDPOINTS_URL, ...account('ENDPOINTS') },
    proxies: proxiesIn(read.env),
    database: f.DATABASE_URL ? { url: f.DATABASE_URL } : { directory: f.DATA_DIR },
    lookupByUser: f.LOOKUP_BY_USER !== undefined,
    personal: {
      signIn: f.PERSONAL_SIGN_IN !== undefined,
      ttlHours: f.PERSONAL_TTL_HOURS,
      keys: f.SECRET_KEY,
    },
    allowed: allowedIn(f),
    alertsToken: follow('ALERTS_TOKEN', f, read),
    /** Adds a listener for files of settings that change while the bot runs. */
    watchFiles: read.watch,
    /** Where others reach the bot, for the addresses that it shows; undefined: not set. */
    publicUrl: f.PUBLIC_HOST,
    stopDelayMs: f.STOP_DELAY_MS,
    logLevel: f.LOG_LEVEL,
    audit: f.AUDIT,
    watch: f.WATCH,
  };
}

/** Undefined: authentication is off, on loopback only. */
function identityIn(f: Fields, read: ResolvedEnvironment) {
  const appId = f.MicrosoftAppId;
  if (appId === undefined) return undefined;
  return {
    appId,
    password: follow('MicrosoftAppPassword', f, read),
    type: given(f.MicrosoftAppType),
    tenantId: f.MicrosoftAppTenantId,
    openIdMetadata: f.BotOpenIdMetadata ?? BOT_FRAMEWORK_METADATA,
    loginUrl: f.ToChannelFromBotLoginUrl,
  };
}

function nacIn(f: Fields) {
  return {
    addresses: given(f.NAC_URL),
    macForm: f.NAC_MAC_FORM,
    timeoutMs: f.NAC_TIMEOUT_MS,
    concurrency: f.NAC_CONCURRENCY,
    history: f.NAC_HISTORY,
    /** The NAC's own page for a device, with `{mac}` where its address belongs; undefined: cards have no link to it. */
    link: f.NAC_LINK,
    ignoredTokens: f.TOKENS_IGNORE ?? [],
  };
}

/** A list that is undefined allows everyone. */
function allowedIn(f: Fields) {
  const isOpen = f.MicrosoftAppId === undefined;
  return {
    tenants: f.ALLOWED_TENANTS,
    users: f.ALLOWED_USERS,
    conversations: f.ALLOWED_CONVERSATIONS?.map((id) => id.replace(/;messageid=.*/s, '')), // Of a thread, as pasted.
    admins: f.ADMINS ?? (isOpen ? undefined : []),
    channels: f.ALLOWED_CHANNELS ?? (isOpen ? OPEN_CHANNELS : ['msteams']),
  };
}

const accountsIn = (f: Fields, read: ResolvedEnvironment) => (prefix: Prefix) => ({
  username: given(f[`${prefix}_USERNAME`]),
  password: given(follow(`${prefix}_PASSWORD`, f, read)),
  tls: f[`${prefix}_TLS`],
});

function webhookAddress(f: Fields, read: ResolvedEnvironment): Secret<WebhookAddress> {
  const token = follow('WEBHOOK_TOKEN', f, read);
  const reread = (text: string) =>
    isAccepted(read, { WEBHOOK_URL: text }) ? addressAt(given(parseHttpUrl(text))) : undefined;
  return read.follow('WEBHOOK_URL', addressAt(given(f.WEBHOOK_URL)), reread);

  function addressAt(url: URL): WebhookAddress {
    const pasted = splitPastedAddress(url);
    if (pasted) return { ...pasted, token: new Secret(pasted.token) };
    return { base: url, form: f.WEBHOOK_FORM, token: given(token) };
  }
}

type Followed = 'MicrosoftAppPassword' | `${Prefix}_PASSWORD` | 'WEBHOOK_TOKEN' | 'ALERTS_TOKEN';

function follow(name: Followed, f: Fields, read: ResolvedEnvironment): Secret | undefined {
  const parse = (text: string) => (isAccepted(read, { [name]: text }) ? text : undefined);
  return f[name] && read.follow(name, f[name].reveal(), parse);
}

/** Judges changed values as at the start, when no setting had a problem. */
const isAccepted = ({ env }: ResolvedEnvironment, changes: Environment) =>
  findProblems({ ...env, ...changes }).length === 0;

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a setting that the rules require is missing');
  return value;
}
