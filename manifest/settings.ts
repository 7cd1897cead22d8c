import { domainToASCII } from 'node:url';
import type { Environment, Problem } from '../src/settings/environment.ts';

export type PackageSettings = Readonly<{
  /** The id of the bot and of the app, a GUID. */
  appId: string;
  /** The host under which the chat service reaches the bot: a DNS name in lower case, without scheme, port or path. */
  host: string;
}>;

/**
 * Reads `MicrosoftAppId` and the host: from the argument, else from `PUBLIC_HOST`. Accepts a pasted http or https address
 * and keeps only its host. Returns all problems, not just the first, and quotes no value.
 */
export function readPackageSettings(
  env: Environment,
  hostArgument: string | undefined,
): { settings: PackageSettings } | { problems: Problem[] } {
  const appId = env.MicrosoftAppId?.trim() ?? '';
  const host = hostOf(hostArgument ?? env.PUBLIC_HOST ?? '');
  const problems = [...appIdProblems(appId), ...hostProblems(host)];
  return problems.length === 0 ? { settings: { appId, host: domainToASCII(host) } } : { problems };
}

/** The form that the schema demands (`#/definitions/guid`). */
const GUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Two or more labels of letters, digits and inner hyphens (RFC 1123, section 2.1); the last label is not a number. */
const DNS_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function hostOf(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '');
}

function appIdProblems(appId: string): Problem[] {
  if (GUID.test(appId)) return [];
  const message =
    appId === ''
      ? "is missing: the bot's Microsoft App ID, as its Azure Bot resource shows it"
      : 'must be a GUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12';
  return [{ name: 'MicrosoftAppId', message }];
}

function hostProblems(host: string): Problem[] {
  if (DNS_NAME.test(domainToASCII(host))) return [];
  const message =
    host === ''
      ? 'is missing: the host under which the chat service reaches the bot, for example bot.example.com'
      : 'must be a full DNS host name without port, user name or path, for example bot.example.com';
  return [{ name: 'PUBLIC_HOST', message }];
}
