import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseJson } from '../domain/text.ts';

/** Starts a server on loopback at the given port, or at any free port if that port is taken. */
export async function listen(server: Server, port = 0): Promise<{ url: string; close(): Promise<void> }> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listen(server, 0);
  }
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function freePort(preferred: number): Promise<number> {
  const { url, close } = await listen(createServer(), preferred);
  await close();
  return Number(new URL(url).port);
}

type JsonAnswer = [status: number, body?: object | string, headers?: Record<string, string>];

/** A server of JSON. @param answer returns the status, the body (a text as it stands) and more headers for a request */
export function jsonServer(answer: (route: string, body: Record<string, unknown>) => JsonAnswer): Server {
  return createServer(async (request, response) => {
    const received = Object(parseJson(await text(request)));
    const [status, body = '', headers] = answer(`${request.method} ${request.url}`, received);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}
