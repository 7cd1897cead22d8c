import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import type { PackageSettings } from './settings.ts';

/**
 * The app package: a zip with `manifest.json` and the two icons at its root, as the chat service takes it. The same settings
 * give the same bytes, on every machine and day.
 */
export function buildPackage(settings: PackageSettings): Uint8Array {
  const files = {
    'manifest.json': strToU8(fillManifest(readPart('manifest.json').toString('utf8'), settings)),
    'color.png': new Uint8Array(readPart('color.png')),
    'outline.png': new Uint8Array(readPart('outline.png')),
  };
  return zipSync(files, { mtime: FIXED_TIME });
}

/** The manifest's text with the settings in the place of its two placeholders. */
export function fillManifest(template: string, { appId, host }: PackageSettings): string {
  return template.replaceAll('{{MicrosoftAppId}}', appId).replaceAll('{{PUBLIC_HOST}}', host);
}

/** The first year that a zip can hold. Made of local parts, because a zip keeps local time without its zone. */
const FIXED_TIME = new Date(1980, 0, 1, 12);

function readPart(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}
