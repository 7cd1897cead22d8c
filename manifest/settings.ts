import type { Environment, Problem } from '../src/settings/environment.ts';
import { PUBLIC_HOST_FAULT, parsePublicHost } from '../src/settings/public-host.ts';

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
  const text = hostArgument ?? env.PUBLIC_HOST ?? '';
  const host = parsePublicHost(text);
  const problems = [...appIdProblems(appId), ...(host === undefined ? [hostProblem(text)] : [])];
  return host !== undefined && problems.length === 0 ? { settings: { appId, host } } : { problems };
}

/** The form that the schema demands (`#/definitions/guid`). */
const GUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function appIdProblems(appId: string): Problem[] {
  if (GUID.test(appId)) return [];
  const message =
    appId === ''
      ? "is missing: the bot's Microsoft App ID, as its Azure Bot resource shows it"
      : 'must be a GUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12';
  return [{ name: 'MicrosoftAppId', message }];
}

function hostProblem(text: string): Problem {
  const message =
    text.trim() === ''
      ? 'is missing: the host under which the chat service reaches the bot, for example bot.example.com'
      : PUBLIC_HOST_FAULT;
  return { name: 'PUBLIC_HOST', message };
}
