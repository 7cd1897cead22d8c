import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Logger } from 'pino';
import type { Response, Server } from 'restify';
import { isLoopback } from '../http.ts';

/**
 * The HTTP status that a request is refused with and, for the log, the reason.
 * @property detail a sentence for an alert's sender, in a body of RFC 9457 @property alert the thread's name
 */
export type Refusal = {
  kind: 'refused';
  status: number;
  reason: string;
  detail?: string;
  retryAfterS?: number; // Of a 503; default: 10.
  alert?: string | undefined;
};

export const refused = (status: number, reason: string): Refusal => ({ kind: 'refused', status, reason });

/** The rest of a refused body has so long to come, and is dropped. */
const LAST_BYTES_MS = 1000;
/** The bodies that are dropped at once. More would take memory faster than V8 frees it. */
const MAX_DROPPED = 50;
let dropped = 0;

/** Bounds the bytes of a connection: until a route reads the body, only those that came along with the head. */
export function boundConnections(server: Server): void {
  // restify hands Node no options. Node reads these when the server begins to listen.
  Object.assign(server.server, {
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 3000, // Node looks every 30 s by default.
    // A proxy keeps idle connections for up to a minute. Its next request is lost on a connection that ends here first.
    keepAliveTimeout: 75_000,
    // Java's client and `curl --http2` ask for h2c on every plain connection, and take an answer in HTTP/1.1.
    shouldUpgradeCallback: () => false,
  });
  server.pre((request, response, next) => {
    if (!request.complete) request.socket.pause();
    // The client may wait for frames of its own protocol.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    next();
  });
}

function answerRefused(response: Response, { status, detail, retryAfterS = 10 }: Refusal): void {
  const title = STATUS_CODES[status];
  if (status === 503) response.setHeader('Retry-After', String(retryAfterS));
  if (status === 401)
    response.setHeader('WWW-Authenticate', detail ? 'Bearer, Basic realm="alerts"' : 'Bearer');
  endUnread(response);
  if (!detail) return void response.send(status, { error: title });
  response.setHeader('Content-Type', 'application/problem+json');
  response.sendRaw(status, JSON.stringify({ type: 'about:blank', title, status, detail }));
}

/**
 * Ends the connection of a refused request whose body is still on its way. The rest is dropped for a moment: a connection that
 * ends with bytes unread can take the answer from its sender.
 */
function endUnread(response: Response): void {
  const { req: request } = response;
  if (request.complete) return;
  const { socket } = request;
  response.setHeader('Connection', 'close');
  socket.destroySoon = () => socket.end(); // Node's own would leave bytes unread.
  response.once('finish', () => {
    if (request.complete || dropped >= MAX_DROPPED) return void socket.destroy();
    dropped++;
    const timer = setTimeout(() => socket.destroy(), LAST_BYTES_MS);
    request.once('close', () => {
      dropped--;
      clearTimeout(timer);
      socket.destroy();
    });
  });
}

export type ReadBody = ReturnType<typeof createBodyReader>;

/** For each route, because slow alerts must not keep messages out. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/**
 * Creates the reader of a route's bodies, which have room for 16 MB together until `use` has ended. Each takes the
 * room of its declared length; one in chunks takes its limit. The reader refuses, in this order: too large by the declared
 * length (413), no room (503), too large while reading (413), cut off (400).
 */
export function createBodyReader() {
  let takenBytes = 0;
  return async <Used>(
    request: IncomingMessage,
    limit: number,
    use: (body: Buffer) => Used | Promise<Used>,
  ): Promise<Used | Refusal> => {
    const bytes = Number(request.headers['content-length'] ?? limit); // Node's parser admits numbers alone.
    if (bytes > limit) return refused(413, 'too large');
    if (takenBytes + bytes > MAX_HELD_BYTES) return refused(503, 'no room for another body');
    takenBytes += bytes;
    try {
      const body = await readWhole(request, bytes);
      return Buffer.isBuffer(body) ? await use(body) : body;
    } finally {
      takenBytes -= bytes;
    }
  };
}

async function readWhole(request: IncomingMessage, bytes: number): Promise<Buffer | Refusal> {
  const room = Buffer.allocUnsafe(bytes); // Kept as they come, chunks of a byte each would take far more room.
  let length = 0;
  try {
    // A destroyed request takes its connection along, so the refusal would not arrive.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (length + chunk.length > bytes) return refused(413, 'too large');
      length += chunk.copy(room, length);
    }
    return room.subarray(0, length);
  } catch (error) {
    if (!request.destroyed) throw error;
    return refused(400, 'request.aborted'); // Also if the sender went away with its whole body sent.
  }
}

export const mediaType = (header: string | undefined) => header?.split(';', 1)[0]?.trim().toLowerCase();

/** So many refused requests of a minute have a line each; the others share one, with the last one's fault. */
const OWN_LINES = 6;
const MINUTE_MS = 60_000;
const MAX_ADDRESSES = 10;

/** Creates a function that answers refused requests, and logs their senders' addresses. A scanner's many requests leave few lines. */
export function createRefuser(log: Logger) {
  let count = 0;
  let last: object = {};
  const addresses = new Set<string>();

  function endMinute(): void {
    const others = { ...last, count: count - OWN_LINES, addresses: [...addresses] };
    if (others.count > 0) log.warn(others, 'requests refused');
    count = 0;
    addresses.clear();
  }

  return (response: Response, refusal: Refusal): void => {
    answerRefused(response, refusal);
    const { status, reason, alert } = refusal;
    const sender = senderOf(response.req);
    last = { status, reason, alert };
    if (count++ === 0) setTimeout(endMinute, MINUTE_MS).unref();
    if (count <= OWN_LINES) log.warn({ ...last, ...sender }, 'request refused');
    else if (addresses.size < MAX_ADDRESSES) addresses.add(sender.forwardedFor ?? sender.from ?? 'gone');
  };
}

/** The peer's address. A peer on loopback is a proxy in front of the bot, and adds its own peer's address at the end. */
function senderOf({ socket, headers }: IncomingMessage) {
  const from = socket.remoteAddress;
  const forwarded = String(headers['x-forwarded-for'] ?? '');
  const last = forwarded.slice(forwarded.lastIndexOf(',') + 1);
  const forwardedFor = last.trim().slice(0, 100);
  const isProxy = from !== undefined && isLoopback(from.replace(/^::ffff:/, ''));
  return { from, ...(isProxy && forwardedFor && { forwardedFor }) };
}
