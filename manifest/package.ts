import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import type { Environment, Problem } from '../src/settings/environment.ts';
import { PUBLIC_HOST_FAULT, parsePublicHost } from '../src/settings/values.ts';

export type PackageSettings = Readonly<{
  /** The id of the bot and of the app, a GUID. */
  appId: string;
  /** The host under which the chat service reaches the bot: a DNS name in lower case, without scheme, port or path. */
  host: string;
}>;

/**
 * Builds the app package that Teams accepts: a zip with `manifest.json` and the two icons at its root. The same settings
 * produce the same bytes on every machine and day.
 */
export function buildPackage(settings: PackageSettings): Uint8Array {
  const files = {
    'manifest.json': strToU8(fillManifest(readPart('manifest.json').toString('utf8'), settings)),
    'color.png': new Uint8Array(readPart('color.png')),
    'outline.png': new Uint8Array(readPart('outline.png')),
  };
  // The first year that a zip can hold. In local time, because a zip stores local time without a zone.
  return zipSync(files, { mtime: new Date(1980, 0, 1, 12) });
}

/** The manifest's text with its two placeholders replaced by the settings. */
export function fillManifest(template: string, { appId, host }: PackageSettings): string {
  return template.replaceAll('{{MicrosoftAppId}}', appId).replaceAll('{{PUBLIC_HOST}}', host);
}

function readPart(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

/** The form that the schema demands (`#/definitions/guid`). */
const GUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

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
  if (host !== undefined && GUID.test(appId)) return { settings: { appId, host } };
  const idFault =
    appId === ''
      ? "is missing: the bot's Microsoft App ID, as its Azure Bot resource shows it"
      : 'must be a GUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12';
  const hostFault =
    text.trim() === ''
      ? 'is missing: the host under which the chat service reaches the bot, for example bot.example.com'
      : PUBLIC_HOST_FAULT;
  return {
    problems: [
      ...(GUID.test(appId) ? [] : [{ name: 'MicrosoftAppId', message: idFault }]),
      ...(host === undefined ? [{ name: 'PUBLIC_HOST', message: hostFault }] : []),
    ],
  };
}
