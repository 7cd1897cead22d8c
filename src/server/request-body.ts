import type { IncomingMessage } from 'node:http';
import type { Response, Server } from 'restify';

/** The HTTP status that a request is refused with and, for the log, the reason. */
export type Refusal = { kind: 'refused'; status: number; reason: string };

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

/**
 * Lets a request that is about to be refused end, if its body is still on its way: the rest is dropped for a moment, because a
 * connection that ends with bytes unread can take the answer from its sender. A body in chunks ends its connection; so does
 * one of a flood.
 */
export function endUnread(response: Response): void {
  const { req: request } = response;
  if (request.complete) return;
  const { socket } = request;
  const isEndless = declaredBytes(request) === undefined;
  if (isEndless) {
    response.setHeader('Connection', 'close');
    socket.destroySoon = () => socket.end(); // Node's own would leave bytes unread.
  }
  response.once('finish', () => {
    if (request.complete) return void (isEndless && socket.destroy());
    if (dropped >= MAX_DROPPED) return void socket.destroy();
    dropped++;
    const timer = setTimeout(() => socket.destroy(), LAST_BYTES_MS);
    request.once('close', () => {
      dropped--;
      clearTimeout(timer);
      if (isEndless) socket.destroy();
    });
  });
}

export type ReadBody = ReturnType<typeof createBodyReader>;

/**
 * Creates the reader of a route's bodies, which have room for `mostBytes` together until `use` has ended. Each takes the
 * room of its declared length; one in chunks takes its limit. The reader refuses, in this order: too large by the declared
 * length (413), no room (503), too large while reading (413), cut off (400).
 */
export function createBodyReader(mostBytes: number) {
  let takenBytes = 0;
  return async <Used>(
    request: IncomingMessage,
    limit: number,
    use: (body: Buffer) => Used | Promise<Used>,
  ): Promise<Used | Refusal> => {
    const bytes = declaredBytes(request) ?? limit;
    if (bytes > limit) return refused(413, 'too large');
    if (takenBytes + bytes > mostBytes) return refused(503, 'no room for another body');
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

/** The length of the body as the request declares it; undefined if it comes in chunks. Node's parser admits numbers alone. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

export const mediaType = (header: string | undefined) => header?.split(';', 1)[0]?.trim().toLowerCase();
