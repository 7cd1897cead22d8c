import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Options for a run without a display and without calls to the browser vendor's services. */
export const chromiumArgs = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** The browser named by the environment variable `CHROMIUM`, else the first installed in a usual place. */
export function chromiumPath(): string | undefined {
  return process.env.CHROMIUM || USUAL_PLACES.find((path) => existsSync(path));
}

/**
 * `chromiumPath()` for a suite that is skipped without a browser. Without a browser, says so on stderr.
 * If `CI` is set, throws instead, so that nobody overlooks the skipped suite.
 */
export function chromiumOrSkip(suite: string): string | undefined {
  const path = chromiumPath();
  if (path !== undefined) return path;
  const sentence = `The browser test "${suite}" is skipped because no Chromium was found; install one, or set CHROMIUM to its path.`;
  if (process.env.CI) throw new Error(sentence);
  process.stderr.write(`${sentence}\n`);
  return undefined;
}

type WithAxe = Window & { axe?: { run(options: RunOptions): Promise<AxeResults> } };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns axe's findings on a page, each with its element. Throws if axe judged no text's colours. */
export async function axeFindings(
  page: Page,
  rules: NonNullable<RunOptions['rules']> = {},
): Promise<string[]> {
  await page.evaluate(AXE); // The debugger evaluates this; the page's Content-Security-Policy does not apply to it.
  const results = await page.evaluate((rules) => (window as WithAxe).axe?.run({ rules }), rules);
  const { passes = [], violations = [] } = results ?? {};
  if (![...passes, ...violations].some(({ id }) => id === 'color-contrast'))
    throw new Error('no colour was judged');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
