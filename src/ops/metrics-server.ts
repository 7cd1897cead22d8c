import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createMetrics, type Measured, type Metrics } from './metrics.ts';

/**
 * Begins to count, and serves the counts at `GET /metrics`. A port in use causes a warning only: several bots may run on
 * one machine, and an answer is worth more than a metric.
 */
export async function openMetrics(
  { host, port }: { host: string; port: number },
  measured: Measured,
  log: Logger,
): Promise<{ metrics: Metrics; url: string | undefined; close(): void }> {
  const metrics = createMetrics(measured);
  const server = createMetricsServer(metrics, (error) => log.error({ err: error }, 'GET /metrics failed'));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    log.warn({ err: error, host, port }, 'cannot listen on OPS_PORT: the bot runs without /metrics');
  }
  const address = server.address() as AddressInfo | null;
  return { metrics, url: address ? urlOf(address) : undefined, close: () => void server.close() };
}

/** `GET /metrics`, on a port of its own that the chat service never reaches. */
function createMetricsServer({ render }: Pick<Metrics, 'render'>, onError: (error: unknown) => void): Server {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.statusCode = 404;
      response.end();
      return;
    }
    try {
      const { contentType, body } = await render();
      response.setHeader('Content-Type', contentType);
      response.end(body);
    } catch (error) {
      onError(error);
      response.statusCode = 500;
      response.end();
    }
  });
  server.on('upgrade', (_request, socket) => socket.destroy()); // Nobody would answer or close such a socket.
  return server;
}

/** The address of a listener. One that listens everywhere is reached on loopback. */
export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
