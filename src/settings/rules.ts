import { isLoopback } from '../http/hosts.ts';
import { splitPastedAddress } from '../webhook/address.ts';
import type { Environment, Problem } from './environment.ts';
import { leavesMachine, noProxyProblems } from './proxy-settings.ts';
import { parseHttpUrl } from './schema.ts';

/** Finds problems between settings. Reads the plain text, so it works even if a single field is wrong too. */
export function findRuleProblems(env: Environment): Problem[] {
  return [
    ...identityProblems(env),
    ...upstreamProblems(env),
    ...personalProblems(env),
    ...noProxyProblems(env),
    ...detourProblems(env, 'BotOpenIdMetadata'),
  ];
}

const ALLOW_LISTS = ['ALLOWED_TENANTS', 'ALLOWED_USERS', 'ALLOWED_CONVERSATIONS'];

function identityProblems(env: Environment): Problem[] {
  if (env.MicrosoftAppId === undefined) return withoutIdentity(env);

  const problems: Problem[] = [];
  const type = env.MicrosoftAppType;
  const need = (name: string, why: string) => {
    if (env[name] === undefined) problems.push({ name, message: `is missing: ${why}` });
  };
  need('MicrosoftAppType', 'say SingleTenant, UserAssignedMSI or MultiTenant, as the bot was registered');
  if (type !== 'UserAssignedMSI') need('MicrosoftAppPassword', 'the client secret of the registration');
  if (type !== 'MultiTenant') need('MicrosoftAppTenantId', 'the tenant of the registration');
  if (ALLOW_LISTS.every((name) => env[name] === undefined)) {
    problems.push({
      name: 'ALLOWED_TENANTS',
      message:
        'is missing: list who may use the bot (* for everyone), or set ALLOWED_USERS or ALLOWED_CONVERSATIONS',
    });
  }
  return problems;
}

function withoutIdentity(env: Environment): Problem[] {
  if (env.ALLOW_UNAUTHENTICATED === undefined) {
    return [
      {
        name: 'MicrosoftAppId',
        message: "is missing: the bot's own id (or set ALLOW_UNAUTHENTICATED=1, on loopback only)",
      },
    ];
  }
  return env.HOST === undefined || isLoopback(env.HOST)
    ? []
    : [{ name: 'HOST', message: 'must be a loopback address while ALLOW_UNAUTHENTICATED is set' }];
}

const UPSTREAMS = ['NAC', 'WEBHOOK', 'AUTHORIZE', 'TICKET'];

function upstreamProblems(env: Environment): Problem[] {
  return [
    ...required(env, 'NAC_URL', "the NAC's address, for example https://nac.example.com"),
    ...required(env, 'NAC_USERNAME', 'the service account that may read sessions'),
    ...required(env, 'NAC_PASSWORD', "the service account's password (or NAC_PASSWORD_FILE)"),
    ...required(
      env,
      'WEBHOOK_URL',
      "the room's webhook: its base address, or the whole address with its token",
    ),
    ...tokenProblems(env),
    ...allOrNone(env, ['AUTHORIZE_URL', 'AUTHORIZE_SDK_PREFIX', 'AUTHORIZE_USERNAME', 'AUTHORIZE_PASSWORD']),
    ...allOrNone(env, ['TICKET_URL', 'TICKET_USERNAME', 'TICKET_PASSWORD']),
    ...UPSTREAMS.flatMap((upstream) => plainHttpProblems(env, upstream)),
  ];
}

function tokenProblems(env: Environment): Problem[] {
  if (env.WEBHOOK_URL === undefined)
    return required(
      env,
      'WEBHOOK_TOKEN',
      "the webhook's secret token, unless WEBHOOK_URL is the whole address",
    );
  const url = parseHttpUrl(env.WEBHOOK_URL);
  if (url === undefined) return [];
  if (/\/webhook(?:\/v2)?\/*$/.test(url.pathname)) {
    return [
      {
        name: 'WEBHOOK_URL',
        message: 'must be the base address without /webhook, or the whole address with its token',
      },
    ];
  }
  const pasted = splitPastedAddress(url);
  if (pasted === undefined)
    return required(env, 'WEBHOOK_TOKEN', "the webhook's secret token (or WEBHOOK_TOKEN_FILE)");
  if (env.WEBHOOK_TOKEN === undefined || env.WEBHOOK_TOKEN === pasted.token) return [];
  return [
    {
      name: 'WEBHOOK_TOKEN',
      message:
        'differs from the token in WEBHOOK_URL: keep that address alone, or a base address and this token',
    },
  ];
}

/** Plain http exposes a password or token to the network, so it needs an explicit setting. */
function plainHttpProblems(env: Environment, upstream: string): Problem[] {
  const name = `${upstream}_URL`;
  const isPlain = (text: string) => {
    const url = parseHttpUrl(text);
    return url?.protocol === 'http:' && !isLoopback(url.hostname);
  };
  if (env[`${upstream}_TLS`] === 'insecure') return [];
  return (env[name] ?? '').split(',').some(isPlain)
    ? [{ name, message: `must be https, unless it is on loopback or ${upstream}_TLS=insecure is set` }]
    : detourProblems(env, name);
}

/** An http address on loopback is safe only as long as no proxy takes it to another machine. */
function detourProblems(env: Environment, name: string): Problem[] {
  const takesDetour = (text: string) => {
    const url = parseHttpUrl(text);
    return url !== undefined && isLoopback(url.hostname) && leavesMachine(env, url);
  };
  return (env[name] ?? '').split(',').some(takesDetour)
    ? [
        {
          name,
          message: 'is http on loopback, but HTTP_PROXY is on another machine: name the host in NO_PROXY',
        },
      ]
    : [];
}

function personalProblems(env: Environment): Problem[] {
  return env.PERSONAL_SIGN_IN === undefined
    ? []
    : required(
        env,
        'SECRET_KEY',
        'PERSONAL_SIGN_IN needs 32 bytes in base64, as "openssl rand -base64 32" prints',
      );
}

function required(env: Environment, name: string, what: string): Problem[] {
  return env[name] === undefined ? [{ name, message: `is missing: ${what}` }] : [];
}

function allOrNone(env: Environment, names: readonly string[]): Problem[] {
  const missing = names.filter((name) => env[name] === undefined);
  if (missing.length === names.length) return [];
  return missing.map((name) => ({ name, message: `is missing: set all of ${names.join(', ')}, or none` }));
}
