/** The parts of restify 12 that the bot uses: the package brings no types, and those of others describe version 8. */
declare module 'restify' {
  import type { EventEmitter } from 'node:events';
  import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
  import type { Logger } from 'pino';

  export interface Request extends IncomingMessage {
    params: Record<string, string | undefined>;
  }
  export interface Response extends ServerResponse<Request> {
    send(status: number, body?: unknown): void;
    sendRaw(status: number, body: string): void;
  }
  /** With `false`, no further handler runs. */
  export type Next = (runsOthers?: false) => void;
  type Route = (path: string, handler: (request: Request, response: Response) => Promise<void>) => void;

  export interface Server extends EventEmitter {
    /** Node's server under this one. */
    server: HttpServer;
    pre(handler: (request: Request, response: Response, next: Next) => void): void;
    get: Route;
    post: Route;
  }

  const restify: { createServer(options: { name: string; log: Logger }): Server };
  export default restify;
}
