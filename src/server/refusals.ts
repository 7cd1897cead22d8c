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

/** Logs refused requests with their senders' addresses. A scanner's many requests leave few lines, with their count. */
export function createRefusalLog(log: Logger) {
  let [count, next] = [0, 1];
  let unlogged = 0;
  const addresses = new Set<string>();
  let quiet: NodeJS.Timeout | undefined;

  function write(last?: object): void {
    const isOne = last !== undefined && unlogged === 1;
    const several = !isOne && { count: unlogged, addresses: [...addresses] };
    log.warn({ ...last, ...several }, isOne ? 'request refused' : 'requests refused');
    unlogged = 0;
    addresses.clear();
  }

  return (request: IncomingMessage, refused: Refused): void => {
    const sender = senderOf(request);
    count++;
    unlogged++;
    if (addresses.size < MAX_ADDRESSES) addresses.add(sender.forwardedFor ?? sender.from ?? 'gone');
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      if (unlogged > 0) write();
      [count, next] = [0, 1];
    }, QUIET_MS).unref();
    if (count < next) return;
    next = count < OWN_LINES ? count + 1 : count * 3;
    write({ ...refused, ...sender });
  };
}

/** The peer's address. A peer on loopback is a proxy in front of the bot, and adds its own peer's address at the end. */
function senderOf({ socket, headers }: IncomingMessage) {
  const from = socket.remoteAddress;
  const last = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
    .slice(0, 100);
  const isProxy = from !== undefined && isLoopback(from.replace(/^::ffff:/, ''));
  return { from, ...(isProxy && last && { forwardedFor: last }) };
}
