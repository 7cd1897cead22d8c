import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { isLoopback } from '../http.ts';

/** A burst ends after so long without a refused request. */
const QUIET_MS = 60_000;
/** So many requests of a burst have a line each; then there is one whenever the count has tripled. */
const OWN_LINES = 6;
const MAX_ADDRESSES = 10;

type Refused = { status: number; reason?: string | undefined; alert?: string | undefined };

export type LogRefusal = ReturnType<typeof createRefusalLog>;

/** Logs refused requests with their senders' addresses. A scanner's many requests leave few lines, with their count and the last one's fault. */
export function createRefusalLog(log: Logger) {
  let [seen, next, unlogged] = [0, 3 * OWN_LINES, 0];
  const addresses = new Set<string>();
  let last: Refused | undefined;
  let quiet: NodeJS.Timeout | undefined;

  function logCount(): void {
    if (unlogged > 0) log.warn({ ...last, count: unlogged, addresses: [...addresses] }, 'requests refused');
    unlogged = 0;
    addresses.clear();
  }

  return (request: IncomingMessage, refused: Refused): void => {
    const sender = senderOf(request);
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      logCount();
      [seen, next] = [0, 3 * OWN_LINES];
    }, QUIET_MS).unref();
    seen++;
    if (seen <= OWN_LINES) return void log.warn({ ...refused, ...sender }, 'request refused');
    unlogged++;
    last = refused;
    if (addresses.size < MAX_ADDRESSES) addresses.add(sender.forwardedFor ?? sender.from ?? 'gone');
    if (seen < next) return;
    next = 3 * seen;
    logCount();
  };
}

/** The peer's address. A peer on loopback is a proxy in front of the bot, and adds its own peer's address at the end. */
function senderOf({ socket, headers }: IncomingMessage) {
  const from = socket.remoteAddress;
  const list = String(headers['x-forwarded-for'] ?? '');
  const last = list.slice(list.lastIndexOf(',') + 1);
  const forwardedFor = last.trim().slice(0, 100);
  const isProxy = from !== undefined && isLoopback(from.replace(/^::ffff:/, ''));
  return { from, ...(isProxy && forwardedFor && { forwardedFor }) };
}
