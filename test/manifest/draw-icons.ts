import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { chromiumArgs, chromiumPath } from '../chromium.ts';

/** Draws the app's two PNG icons from their SVG files: `node test/manifest/draw-icons.ts`. */
const SIDES = { color: 192, outline: 32 };

const executablePath = chromiumPath();
if (executablePath === undefined)
  throw new Error('no Chromium found: install one, or set CHROMIUM to its path');

const browser = await chromium.launch({ executablePath, args: chromiumArgs });
for (const [name, side] of Object.entries(SIDES)) {
  const file = (end: string) => fileURLToPath(new URL(`../../manifest/${name}.${end}`, import.meta.url));
  const page = await browser.newPage({ viewport: { width: side, height: side }, deviceScaleFactor: 1 });
  const style = '<style>body { margin: 0 } svg { display: block }</style>';
  await page.setContent(style + (await readFile(file('svg'), 'utf8')));
  await page.screenshot({ path: file('png'), omitBackground: true });
}
await browser.close();
