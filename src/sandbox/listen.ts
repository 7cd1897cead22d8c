import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Listening = { url: string; close(): Promise<void> };

/** Starts a server on loopback, at the port given or, where that one is taken, at any free one. */
export async function listen(server: Server, port = 0): Promise<Listening> {
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
      if (server.listening) await once(server, 'close');
    },
  };
}

/** A port that is free now: the one given, or any where it is taken. */
export async function freePort(preferred: number): Promise<number> {
  const { url, close } = await listen(createServer(), preferred);
  await close();
  return Number(new URL(url).port);
}
