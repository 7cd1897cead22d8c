import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import type { PackageSettings } from './settings.ts';

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
  return zipSync(files, { mtime: FIXED_TIME });
}

/** The manifest's text with its two placeholders replaced by the settings. */
export function fillManifest(template: string, { appId, host }: PackageSettings): string {
  return template.replaceAll('{{MicrosoftAppId}}', appId).replaceAll('{{PUBLIC_HOST}}', host);
}

/** The first year that a zip can hold. In local time, because a zip stores local time without a zone. */
const FIXED_TIME = new Date(1980, 0, 1, 12);

function readPart(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}
