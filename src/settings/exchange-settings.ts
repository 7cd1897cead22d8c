import type { Account, IssuedName } from '../credentials/exchange-outcome.ts';
import type { ExchangeAddresses } from '../credentials/exchanges.ts';
import type { Proxies } from '../http/proxy.ts';
import type { TlsMode } from '../http/trust.ts';
import { type Environment, type Problem, resolveFileSecrets } from './environment.ts';
import { isProxyName, proxiesOf } from './proxy-settings.ts';
import { findRuleProblems } from './rules.ts';
import { fields } from './schema.ts';

export type ExchangeSettings = {
  addresses: ExchangeAddresses;
  account: Account;
  tls: TlsMode;
  proxies: Proxies | undefined;
};

const PREFIXES: Readonly<Record<IssuedName, string>> = { 'API key': 'AUTHORIZE_', ticket: 'TICKET_' };

/** Reads the settings of one exchange and of the way out, for a script that needs no others. Ignores problems in the rest. */
export function readExchangeSettings(
  environment: Environment,
  name: IssuedName,
): { settings: ExchangeSettings } | { problems: Problem[] } {
  const prefix = PREFIXES[name];
  const isOwn = (each: string) => each.startsWith(prefix) || isProxyName(each);
  const own = Object.fromEntries(Object.entries(environment).filter(([each]) => isOwn(each)));
  const { env, problems } = resolveFileSecrets(own);
  const parsed = fields.safeParse(env);
  const faults = (parsed.error?.issues ?? []).map(({ path, message }) => ({
    name: String(path[0]),
    message,
  }));
  const rules = findRuleProblems(env).filter((problem) => isOwn(problem.name));
  const all = [...problems, ...faults, ...rules];
  if (!parsed.success || all.length > 0) return { problems: all };

  const settings = name === 'API key' ? authorizeSettings(parsed.data) : ticketSettings(parsed.data);
  return settings
    ? { settings }
    : {
        problems: [{ name: `${prefix}URL`, message: 'is missing: this credential is not configured' }],
      };
}

type Parsed = ReturnType<typeof fields.parse>;

function authorizeSettings(f: Parsed): ExchangeSettings | undefined {
  const { AUTHORIZE_URL: url, AUTHORIZE_SDK_PREFIX: sdkPrefix, AUTHORIZE_USERNAME: username } = f;
  const { AUTHORIZE_PASSWORD: password, AUTHORIZE_TLS: tls } = f;
  return url && sdkPrefix && username && password
    ? {
        addresses: { authorize: { url, sdkPrefix }, ticket: undefined },
        account: { username, password },
        tls,
        proxies: proxiesOf(f),
      }
    : undefined;
}

function ticketSettings(f: Parsed): ExchangeSettings | undefined {
  const { TICKET_URL: url, TICKET_USERNAME: username, TICKET_PASSWORD: password, TICKET_TLS: tls } = f;
  return url && username && password
    ? {
        addresses: { authorize: undefined, ticket: { url } },
        account: { username, password },
        tls,
        proxies: proxiesOf(f),
      }
    : undefined;
}
