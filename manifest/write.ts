import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { strToU8, zipSync } from 'fflate';
import type { Environment, Problem } from '../src/settings/environment.ts';
import { PUBLIC_HOST_FAULT, parsePublicHost } from '../src/settings/schema.ts';
import { linesOf } from '../src/settings.ts';

/** `appId`: the GUID of the bot and of the app; `host`: the DNS name under which the chat service reaches the bot. */
type PackageSettings = { appId: string; host: string };

const CURE =
  'Set them in the environment; the host can be an argument too: nac-lookup-bot manifest bot.example.com';

/** `manifest [HOST] [--out FILE]`: writes the app package for Teams. Code 2: wrong settings, all named; 1: no file. */
export function manifest(
  args: readonly string[],
  environment: Environment,
): { code: 0 | 1 | 2; text: string } {
  const options = { out: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
  });
  const { settings, problems } = readPackageSettings(environment, positionals[0]);
  for (const [name, value] of Object.entries(values)) {
    if (name !== 'out')
      problems.push({ name: `--${name}`, message: 'is unknown: the only option is --out FILE' });
    else if (!value || value === true)
      problems.push({ name: '--out', message: 'needs the path of the file to write' });
  }
  if (positionals.length > 1) problems.push({ name: 'The command', message: 'takes only one host' });
  if (problems.length > 0)
    return { code: 2, text: `The app package was not written.\n${linesOf(problems)}${CURE}\n` };

  const file = String(values.out ?? relative('', join(import.meta.dirname, 'nac-lookup-bot.zip')));
  try {
    writeFileSync(file, buildPackage(settings));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code: 1, text: `${file} could not be written (${code}).\n` };
  }
  const next = 'Next: upload it in Teams (manifest/README.md, "Upload it").';
  return { code: 0, text: `Wrote ${file} for ${settings.host}. ${next}\n` };
}

/** The form that the schema demands (`#/definitions/guid`). */
const GUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const GUID_FAULT = 'must be a GUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12';
const MISSING = {
  id: "is missing: the bot's Microsoft App ID, as its Azure Bot resource shows it",
  host: 'is missing: the host under which the chat service reaches the bot, for example bot.example.com',
};

/** Takes the host from the argument, else from `PUBLIC_HOST`, or of a pasted address. Names every problem, and quotes no value. */
function readPackageSettings(env: Environment, hostArgument: string | undefined) {
  const appId = env.MicrosoftAppId?.trim() ?? '';
  const text = (hostArgument ?? env.PUBLIC_HOST ?? '').trim();
  const host = parsePublicHost(text) ?? '';
  const problems: Problem[] = [];
  if (!GUID.test(appId))
    problems.push({ name: 'MicrosoftAppId', message: appId === '' ? MISSING.id : GUID_FAULT });
  if (host === '')
    problems.push({ name: 'PUBLIC_HOST', message: text === '' ? MISSING.host : PUBLIC_HOST_FAULT });
  return { settings: { appId, host }, problems };
}

/** Builds the package: a zip with `manifest.json` and two icons at its root. Equal settings make equal bytes on every machine. */
export function buildPackage({ appId, host }: PackageSettings): Uint8Array {
  const part = (name: string) => readFileSync(new URL(name, import.meta.url));
  const template = part('manifest.json').toString('utf8');
  const manifest = template.replaceAll('{{MicrosoftAppId}}', appId).replaceAll('{{PUBLIC_HOST}}', host);
  const icons = { 'color.png': part('color.png'), 'outline.png': part('outline.png') };
  // The first year that a zip can hold. In local time, because a zip stores local time without a zone.
  return zipSync({ 'manifest.json': strToU8(manifest), ...icons }, { mtime: new Date(1980, 0, 1, 12) });
}
