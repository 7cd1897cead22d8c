import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Measured, Metrics } from './ops/metrics.ts';
import { createOpsServer } from './ops/metrics-server.ts';

/**
 * Begins to count, and shows the counts at `GET /metrics`. A port that is taken is warned of and no more: several bots may
 * run on one machine, and none of them is worth less than its metrics.
 */
export async function openOps(
  { host, port }: { host: string; port: number },
  measured: Measured,
  log: Logger,
): Promise<{ metrics: Metrics; close(): void }> {
  const { createMetrics } = await import('./ops/metrics.ts');
  const metrics = createMetrics(measured);
  const server = createOpsServer(metrics, (error) => log.error({ err: error }, 'metrics could not be told'));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    log.warn({ err: error, host, port }, 'metrics are not shown: OPS_PORT cannot be listened on');
  }
  return { metrics, close: () => void server.close() };
}
