import { existsSync } from 'node:fs';

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Options for a run without a display and without calls to the browser vendor's services. */
export const chromiumArgs = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
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
