import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { strToU8, zipSync } from 'fflate';
import { type Environment, PUBLIC_HOST_FAULT, parsePublicUrl } from '../src/settings/schema.ts';
import { linesOf } from '../src/settings.ts';

const CURE =
  'Set them in the environment; the host can be an argument too: nac-lookup-bot manifest bot.example.com';
const ID_FAULT =
  'must be the Microsoft App ID of the Azure Bot resource, a GUID: hexadecimal digits in groups of 8, 4, 4, 4 and 12';
/** The form that the schema demands (`#/definitions/guid`). */
const GUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** `manifest [HOST] [--out FILE]`: writes the app package for Teams. Code 2: wrong settings, all named; 1: no file. Undefined: wrong arguments. */
export function manifest(args: readonly string[], env: Environment) {
  const options = { out: { type: 'string' } } as const;
  const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: false });
  const { out = relative('', join(import.meta.dirname, 'nac-lookup-bot.zip')), ...unknown } = parsed.values;
  const [given = env.PUBLIC_HOST ?? '', ...others] = parsed.positionals;
  if (typeof out !== 'string' || out === '' || [...others, ...Object.keys(unknown)].length > 0)
    return undefined;
  const appId = env.MicrosoftAppId?.trim() ?? '';
  const url = parsePublicUrl(given);
  const host = url?.protocol === 'https:' ? url.hostname : undefined; // Teams reaches no loopback.
  const problems = GUID.test(appId) ? [] : [{ name: 'MicrosoftAppId', message: ID_FAULT }];
  if (host === undefined) problems.push({ name: 'PUBLIC_HOST', message: PUBLIC_HOST_FAULT });
  if (host === undefined || problems.length > 0)
    return { code: 2, text: `The app package was not written.\n${linesOf(problems)}${CURE}\n` };
  try {
    writeFileSync(out, buildPackage({ appId, host }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code: 1, text: `${out} could not be written (${code}).\n` };
  }
  const next = 'Next: upload it in Teams (manifest/README.md, "Upload it").';
  return { code: 0, text: `Wrote ${out} for ${host}. ${next}\n` };
}

/** Builds the package: a zip with `manifest.json` and two icons at its root. Equal settings make equal bytes on every machine. */
export function buildPackage({ appId, host }: { appId: string; host: string }): Uint8Array {
  const part = (name: string) => readFileSync(new URL(name, import.meta.url));
  const template = part('manifest.json').toString('utf8');
  const manifest = template.replaceAll('{{MicrosoftAppId}}', appId).replaceAll('{{PUBLIC_HOST}}', host);
  const icons = { 'color.png': part('color.png'), 'outline.png': part('outline.png') };
  // The first year that a zip can hold. In local time, because a zip stores local time without a zone.
  return zipSync({ 'manifest.json': strToU8(manifest), ...icons }, { mtime: new Date(1980, 0, 1, 12) });
}
