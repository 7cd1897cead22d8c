import { lacksToken, Secret, splitPastedAddress, type WebhookAddress } from './domain/secret.ts';
import { isLoopback } from './http.ts';
import { type Environment, type Problem, resolveFileSecrets } from './settings/environment.ts';
import { findDoubts, findMisspelt, findPlaceholders, findRuleProblems, proxiesIn } from './settings/rules.ts';
import { type Fields, fields } from './settings/schema.ts';

/** The bot's whole configuration. Times are in milliseconds unless a name says otherwise. */
export type Settings = ReturnType<typeof assemble> & {
  /** Values that are accepted and may be wrong. */
  doubts: readonly Problem[];
};

type Read = { settings: Settings } | { problems: Problem[] };

export function readSettings(environment: Environment): Read {
  const resolved = resolveFileSecrets(environment);
  const { env } = resolved;
  const parsed = fields.safeParse(env);
  const issues = parsed.error?.issues ?? [];
  const fieldProblems = issues.map(({ path, message }) => ({ name: String(path[0]), message }));
  const first = [...resolved.problems, ...findPlaceholders(env)];
  const isOther = ({ name }: Problem) =>
    !first.some((each) => each.name === name || each.name === `${name}_FILE`);
  const all = [...first, ...[...fieldProblems, ...findRuleProblems(env)].filter(isOther)];
  const misspelt = findMisspelt(env);
  return parsed.success && all.length === 0
    ? { settings: { ...assemble(parsed.data, resolved), doubts: [...misspelt, ...findDoubts(env)] } }
    : { problems: [...all, ...misspelt] };
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
    openIdMetadata: f.BotOpenIdMetadata,
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

/** Returns the present address. While the file holds no valid address, returns the last valid one. */
function webhookAddress(f: Fields, read: ResolvedEnvironment): () => WebhookAddress {
  const first = given(f.WEBHOOK_URL);
  const token = follow('WEBHOOK_TOKEN', f, read);
  const address = given(parse(first));
  const reread = (text: string) =>
    isReal('WEBHOOK_URL', text) ? parse(fields.shape.WEBHOOK_URL.safeParse(text).data) : undefined;
  return read.follow('WEBHOOK_URL', address, reread);

  /** Accepts no weaker address than the first: https stays https, and loopback stays loopback. */
  function parse(url: URL | undefined): WebhookAddress | undefined {
    if (url?.protocol !== first.protocol || isLoopback(url.hostname) !== isLoopback(first.hostname))
      return undefined;
    if (lacksToken(url)) return undefined;
    const pasted = splitPastedAddress(url);
    if (pasted) return { base: pasted.base, form: pasted.form, token: new Secret(pasted.token) };
    return token && { base: url, form: f.WEBHOOK_FORM, token };
  }
}

const isReal = (name: string, text: string) => findPlaceholders({ [name]: text }).length === 0;

type Followed = 'MicrosoftAppPassword' | `${Prefix}_PASSWORD` | 'WEBHOOK_TOKEN' | 'ALERTS_TOKEN';

function follow(name: Followed, f: Fields, read: ResolvedEnvironment): Secret | undefined {
  const parse = (text: string) =>
    isReal(name, text) ? fields.shape[name].safeParse(text).data?.reveal() : undefined;
  return f[name] && new Secret(read.follow(name, f[name].reveal(), parse));
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a setting that the rules require is missing');
  return value;
}
