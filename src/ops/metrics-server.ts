import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import { createMetrics, type Measured, type Metrics } from './metrics.ts';

/**
 * Begins to count, and shows the counts at `GET /metrics`. A taken port is warned of and is no fault: several bots may run
 * on one machine, and an answer is worth more than a metric.
 */
export async function openMetrics(
  { host, port }: { host: string; port: number },
  measured: Measured,
  log: Logger,
): Promise<{ metrics: Metrics; close(): void }> {
  const metrics = createMetrics(measured);
  const server = createMetricsServer(metrics, (error) => log.error({ err: error }, 'metrics failed'));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    log.warn({ err: error, host, port }, 'metrics are not shown: OPS_PORT cannot be listened on');
  }
  return { metrics, close: () => void server.close() };
}

/** `GET /metrics`, on a port of its own that the chat service never reaches. */
function createMetricsServer({ render }: Pick<Metrics, 'render'>, onError: (error: unknown) => void): Server {
  return createServer(async (request, response) => {
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
}
