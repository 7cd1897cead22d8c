import './check-node.cjs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import type { App } from './app.ts';

/** Anyone who can write here can change the code; if the bot's own user cannot, nothing is added. */
const COMPILE_CACHE = new URL('../node_modules/.cache/nac-lookup-bot/', import.meta.url);

/** How much the heap may grow before V8 collects garbage, in percent of the memory in use (V8's default: up to 300). */
const HEAP_GROWTH = 70;

/** Under `npm start`, Ctrl+C comes twice: from the terminal, and from npm. */
const SAME_SIGNAL_MS = 500;
const AT_ONCE =
  'a second signal ends the bot at once: jobs go on from the database, and the chat service sends unanswered messages again';

process.umask(0o077); // Only the bot's own user may read what it writes.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(COMPILE_CACHE);
enableCompileCache(); // Returns an error as its result; never throws.
await main();

/** Starts the bot with the environment's settings. Static imports would load before the cache is on. */
async function main(): Promise<void> {
  const { describeProblems, readSettings } = await import('./settings.ts');
  const read = readSettings(process.env);
  if ('problems' in read) {
    process.stderr.write(describeProblems(read.problems));
    process.exitCode = 2;
    return;
  }
  const { settings } = read;
  const { logLevel: level, stopDelayMs: delayMs, watchFiles: watch } = settings;
  const { createLog } = await import('./ops/log.ts');
  const { secretsIn } = await import('./domain/secret.ts');
  const log = createLog({ level, secrets: () => secretsIn(settings), watch });
  // The log strikes out secrets; Node would print the whole error.
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'crashed');
    process.exit(1);
  });
  const { startFault, systemClock } = await import('./app/start.ts');
  const { createApp } = await import('./app.ts');
  const cannotStart = (error: unknown): never => {
    const reason = startFault(error);
    if (reason === undefined) throw error; // A bug.
    process.stderr.write(`The bot cannot start: ${reason}.\n`);
    process.exit(2);
  };
  const starting = createApp(settings, { log }).catch(cannotStart);

  stopOnSignal(starting, log, delayMs, systemClock.steady);
  const { failure } = await starting;
  void failure.then(cannotStart);
  flushCompileCache(); // V8 takes no code that was cached under other flags.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
}

/** Stops the bot at the first signal, and ends the process at once at another one. */
function stopOnSignal(starting: Promise<App>, log: Logger, delayMs: number, steady: () => number): void {
  let stoppingAt: number | undefined;
  const stop = async (signal: NodeJS.Signals) => {
    const now = steady();
    if (stoppingAt !== undefined && now - stoppingAt < SAME_SIGNAL_MS) return;
    if (stoppingAt !== undefined) {
      log.warn({ signal }, AT_ONCE);
      process.exit(1);
    }
    stoppingAt = now;
    log.info({ signal, delayMs }, 'stopping');
    await (await starting).stop();
    log.info({ ms: Math.round(steady() - now) }, 'stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
}
