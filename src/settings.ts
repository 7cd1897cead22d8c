import { readFileSync } from 'node:fs';
import { Secret, splitPastedAddress, type WebhookAddress } from './domain/secret.ts';
import { unlessThrown } from './domain/text.ts';
import { findDoubts, findMisspelt, findProblems, proxiesIn } from './settings/rules.ts';
import { type Environment, FILE_SECRETS, type Fields, fields, type Problem } from './settings/schema.ts';

/** The bot's whole configuration. Times are in milliseconds unless a name says otherwise. */
export type Settings = ReturnType<typeof assemble>;

export type Read = { settings: Settings } | { problems: Problem[] };

/** Reads all settings and files of secrets. Names every problem at once, each with its cure and without a secret. */
export function readSettings(environment: Environment): Read {
  const { env, problems: unread } = readFiles(environment);
  const inFiles = unread.map(({ name }) => name.replace(/_FILE$/, ''));
  const problems = [...unread, ...findProblems(env).filter(({ name }) => !inFiles.includes(name))];
  if (problems.length > 0) return { problems: [...problems, ...findMisspelt(env)] };
  return { settings: assemble(fields.parse(env), env) };
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
  const needs = problems.length === 1 ? 'setting needs' : 'settings need';
  return `The bot cannot start: ${problems.length} ${needs} attention.\n${linesOf(problems)}Set them in the environment (docs/settings.md), or try the bot without settings: npm run sandbox\n`;
}

export function linesOf(problems: readonly Problem[]): string {
  return problems.map(({ name, message }) => `  ${name} ${message}\n`).join('');
}

/** The Bot Framework's own hosts and Teams' relay (Bot Connector API, "base URI"). */
const CHANNEL_HOSTS = ['*.botframework.com', 'smba.trafficmanager.net', '*.teams.microsoft.com'];

/** Where it publishes its signing keys (Bot Connector authentication, step 3). */
const BOT_FRAMEWORK_METADATA = new URL('https://login.botframework.com/v1/.well-known/openidconfiguration');

type Prefix = 'NAC' | 'AUTHORIZE' | 'TICKET' | 'ENDPOINTS';
type TextSecret = 'MicrosoftAppPassword' | `${Prefix}_PASSWORD` | 'WEBHOOK_TOKEN' | 'ALERTS_TOKEN';

/** Fields that the rules have checked become the settings. Secrets follow their files. */
function assemble(f: Fields, env: Environment) {
  const files = followFiles(env, f);
  const account = (prefix: Prefix) => ({
    username: given(f[`${prefix}_USERNAME`]),
    password: given(files.secret(`${prefix}_PASSWORD`)),
    tls: f[`${prefix}_TLS`],
  });
  const isOpen = f.MicrosoftAppId === undefined;
  return {
    listen: { host: f.HOST ?? (isOpen ? '127.0.0.1' : '0.0.0.0'), port: f.PORT },
    /** Undefined: no metrics. */
    ops: f.OPS_PORT === 0 ? undefined : { host: f.OPS_HOST, port: f.OPS_PORT },
    identity: identityIn(f, files),
    serviceHosts: { names: f.SERVICE_HOSTS ?? CHANNEL_HOSTS, loopback: isOpen && !f.SERVICE_HOSTS },
    nac: { ...account('NAC'), ...nacIn(f) },
    webhook: { address: webhookAddress(f, files), tls: f.WEBHOOK_TLS },
    authorize: f.AUTHORIZE_URL && {
      url: f.AUTHORIZE_URL,
      sdkPrefix: given(f.AUTHORIZE_SDK_PREFIX),
      ...account('AUTHORIZE'),
    },
    ticket: f.TICKET_URL && { url: f.TICKET_URL, ...account('TICKET') },
    /** The NAC's administration node, which knows devices without a session; undefined: it is not asked. */
    endpoints: f.ENDPOINTS_URL && { url: f.ENDPOINTS_URL, ...account('ENDPOINTS') },
    proxies: proxiesIn(env),
    database: f.DATABASE_URL ? { url: f.DATABASE_URL } : { directory: f.DATA_DIR },
    personal: { signIn: f.PERSONAL_SIGN_IN, ttlHours: f.PERSONAL_TTL_HOURS, keys: f.SECRET_KEY },
    allowed: allowedIn(f),
    alertsToken: files.secret('ALERTS_TOKEN'),
    /** Adds a listener for files of settings that change while the bot runs. */
    watchFiles: files.watch,
    shown: shownIn(f),
    stopDelayMs: f.STOP_DELAY_MS,
    logLevel: f.LOG_LEVEL,
    audit: f.AUDIT,
    /** Values that are accepted and may be wrong. */
    doubts: [...findMisspelt(env), ...findDoubts(env)],
  };
}

/** Undefined: authentication is off, on loopback only. */
function identityIn(f: Fields, { secret }: Files) {
  const appId = f.MicrosoftAppId;
  if (appId === undefined) return undefined;
  return {
    appId,
    password: secret('MicrosoftAppPassword'),
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

const shownIn = (f: Fields) => ({
  canSignIn: f.PERSONAL_SIGN_IN,
  areAlertsOn: f.ALERTS_TOKEN !== undefined,
  allowsUsers: f.LOOKUP_BY_USER,
  canWatch: f.WATCH,
  publicUrl: f.PUBLIC_HOST,
});

/** A list that is undefined allows everyone. */
function allowedIn(f: Fields) {
  const isOpen = f.MicrosoftAppId === undefined;
  return {
    tenants: f.ALLOWED_TENANTS,
    users: f.ALLOWED_USERS,
    conversations: f.ALLOWED_CONVERSATIONS?.map((id) => id.replace(/;messageid=.*/s, '')), // Of a thread, as pasted.
    admins: f.ADMINS ?? (isOpen ? undefined : []),
    channels: f.ALLOWED_CHANNELS ?? ['msteams', ...(isOpen ? ['emulator', 'webchat'] : [])],
  };
}

function webhookAddress(f: Fields, { follow, secret }: Files): Secret<WebhookAddress> {
  const token = secret('WEBHOOK_TOKEN');
  return follow('WEBHOOK_URL', ({ WEBHOOK_URL }) => {
    const base = given(WEBHOOK_URL);
    const pasted = splitPastedAddress(base);
    if (pasted) return { ...pasted, token: new Secret(pasted.token) };
    return { base, form: f.WEBHOOK_FORM, token: given(token) };
  });
}

/** `unusable`: the changed file is empty, cannot be read, or holds no valid value. */
type OnChange = (name: string, state: 'read' | 'unusable') => void;

type Files = ReturnType<typeof followFiles>;

const CHECK_EVERY_MS = 1000;

function followFiles(env: Environment, f: Fields) {
  const listeners: OnChange[] = [];

  /**
   * Returns a secret with a setting's present value. Each use checks its file, if there is one, at most once a second. While the
   * file is empty, cannot be read or holds no valid value, the last value stays.
   */
  function follow<T>(name: string, valueIn: (f: Fields) => T): Secret<T> {
    const path = env[`${name}_FILE`];
    if (path === undefined) return new Secret(valueIn(f));
    let [text, value, isChecked] = [env[name], valueIn(f), false];
    return new Secret(() => {
      if (isChecked) return value;
      isChecked = true;
      setTimeout(() => (isChecked = false), CHECK_EVERY_MS).unref();
      const present = readSecret(path);
      if (present === text) return value;
      text = present;
      const changed = { ...env, [name]: text };
      const isUsable = text !== '' && findProblems(changed).length === 0; // As at the start, when none was wrong.
      if (isUsable) value = valueIn(fields.parse(changed));
      for (const listener of listeners) listener(name, isUsable ? 'read' : 'unusable');
      return value;
    });
  }

  return {
    follow,
    secret: (name: TextSecret) => f[name] && follow(name, (each) => given(each[name]).reveal()),
    watch: (listener: OnChange) => void listeners.push(listener),
  };
}

/** Reads the secret X from each file that `X_FILE` names. Drops empty values: Compose and similar tools pass unset variables as empty. */
function readFiles(environment: Environment) {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== '') env[name] = value;
  const problems = FILE_SECRETS.flatMap((name): Problem[] => {
    const path = env[`${name}_FILE`];
    if (path === undefined) return [];
    if (env[name] !== undefined) return [{ name, message: `and ${name}_FILE are both set: keep one` }];
    env[name] = readSecret(path);
    const message = `names a file that is empty or cannot be read: ${path}`;
    return env[name] === '' ? [{ name: `${name}_FILE`, message }] : [];
  });
  return { env, problems };
}

const readSecret = (path: string) =>
  unlessThrown(Error, () => readFileSync(path, 'utf8'))?.replace(/^\ufeff|\r?\n$/g, '') ?? '';

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('a setting that the rules require is missing');
  return value;
}
