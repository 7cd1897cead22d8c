import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { chromiumArgs, chromiumPath } from '../chromium.ts';

/** Draws the app's two PNG icons from their SVG files: `node test/manifest/draw-icons.ts`. */
const ICONS = [
  { name: 'color', side: 192 },
  { name: 'outline', side: 32 },
];

const executablePath = chromiumPath();
if (executablePath === undefined)
  throw new Error('no Chromium found: install one, or set CHROMIUM to its path');

const browser = await chromium.launch({ executablePath, args: chromiumArgs });
for (const icon of ICONS) await draw(browser, icon);
await browser.close();

async function draw(browser: Browser, { name, side }: (typeof ICONS)[number]): Promise<void> {
  const file = (ending: string) =>
    fileURLToPath(new URL(`../../manifest/${name}.${ending}`, import.meta.url));
  const svg = await readFile(file('svg'), 'utf8');
  const page = await browser.newPage({ viewport: { width: side, height: side }, deviceScaleFactor: 1 });
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
  await page.screenshot({ path: file('png'), omitBackground: true });
  await page.close();
}
