import type { Logger } from 'pino';

/** Lets the log, which strikes out secrets, have the last word on a bug that nobody caught; Node would print all of it. */
export function endWithTheLog(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'crashed');
    process.exit(1);
  });
}
