import type { Next, Request, Response, Server } from 'restify';

/** A refused body of at most so many bytes has so long to come to its end. */
const SHORT_BYTES = 64 * 1024;
const LAST_BYTES_MS = 1000;

/**
 * Bounds what a connection may hold. Until a route reads a body or answers, the connection is not read any further: what
 * has come along with the head is all that stays in memory.
 */
export function boundConnections(server: Server): void {
  // restify hands Node no options. Node reads these when the server begins to listen.
  Object.assign(server.server, {
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 3000, // By default, Node looks every 30 s.
    // A proxy keeps idle connections for up to a minute. Its next request is lost on a connection that ends here first.
    keepAliveTimeout: 75_000,
  });
  server.server.on('upgrade', (_request, socket) => socket.destroy()); // Nobody would answer or close such a socket.
  server.pre((request: Request, _response: Response, next: Next) => {
    if (!request.complete) request.socket.pause();
    next();
  });
}

/**
 * Ends the connection of a request that is about to be refused, if its body is still on its way: at once after the answer,
 * or a moment later if the body is short. A connection that ends with bytes unread can take the answer from its sender.
 */
export function endUnread(response: Response): void {
  const { req: request } = response;
  if (request.complete) return;
  const { 'transfer-encoding': inChunks, 'content-length': length = 0 } = request.headers;
  const isShort = inChunks === undefined && Number(length) <= SHORT_BYTES;
  if (!isShort) response.setHeader('Connection', 'close');
  response.once('finish', () => {
    if (!isShort) return void request.destroy();
    if (request.complete) return;
    const timer = setTimeout(() => request.destroy(), LAST_BYTES_MS);
    request.once('close', () => clearTimeout(timer));
  });
}
