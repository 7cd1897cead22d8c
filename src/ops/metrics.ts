import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

type Value = number | boolean | undefined;
/** Values, each with its labels' values in order. */
type Values = ReadonlyArray<readonly [value: Value, ...labels: string[]]>;

export type Metrics = ReturnType<typeof createMetrics>;

/** Outcomes of posts that a rule watches from the first on. */
const REFUSED_FOR_GOOD = ['not found', 'suspended', 'rejected'];

/**
 * The bot's counts, in Prometheus' terms (https://prometheus.io/docs/practices/naming). Each label has a fixed set of
 * values, or the names of alerts, which administrators give. None holds a text of a device or of another system.
 */
export function createMetrics() {
  const registry = new Registry();
  const named = namedIn(registry);
  function counter(name: string, help: string, ...begun: string[]): Counter<'outcome'> {
    const counted = new Counter({ ...named(name, help), labelNames: ['outcome'] });
    for (const outcome of begun) counted.inc({ outcome }, 0); // A rate needs a beginning.
    return counted;
  }
  return {
    registry,
    /** Adds a gauge that is read whenever the metrics are. Without labels it has one value; undefined: absent. */
    gauge(
      name: string,
      help: string,
      read: () => Value | Values | Promise<Value | Values>,
      ...labelNames: string[]
    ): void {
      const gauged: Gauge = new Gauge({
        ...named(name, help),
        labelNames,
        async collect() {
          const values = await read();
          if (labelNames.length > 0) gauged.reset();
          else gauged.remove(); // A reset would set 0.
          for (const [value, ...labels] of Array.isArray(values) ? values : [[values]])
            if (value !== undefined) gauged.labels(...labels).set(Number(value));
        },
      });
    },
    /** Seconds, waiting included. */
    lookups: new Histogram({
      ...named('lookup_duration_seconds', 'Lookups by outcome, with their duration'),
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
    }),
    posts: counter('posts_total', 'Posts to the room by outcome', 'posted', ...REFUSED_FOR_GOOD),
    replies: counter('replies_total', 'Replies given to the chat service, by outcome', 'sent'),
    tokens: counter('app_token_requests_total', "Requests for the bot's own tokens, by outcome", 'issued'),
    refusals: new Counter({
      ...named('requests_refused_total', 'Requests refused by route and HTTP status'),
      labelNames: ['route', 'status'],
    }),
    limited: new Counter(named('messages_limited_total', 'Messages over a limit')),
    /** Seconds. */
    commits: new Histogram({
      ...named('database_commit_duration_seconds', 'How long changes took to reach the disk of the database'),
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    }),
  };
}

const namedIn = (registry: Registry) => (name: string, help: string) => ({
  name: `nac_lookup_bot_${name}`,
  help,
  registers: [registry],
});

/** The library's metrics of the process and of Node that are shown; it has fifty. */
const RUNTIME = [
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_open_fds',
  'nodejs_heap_size_used_bytes',
  'nodejs_eventloop_lag_p99_seconds',
];

/**
 * Serves the metrics at `GET /metrics`, on a port of its own that the chat service never reaches. A port in use causes a
 * warning only: several bots may run on one machine, and an answer is worth more than a metric.
 */
export async function serveMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  { host, port }: { host: string; port: number },
  log: Logger,
) {
  const runtime = new Registry();
  collectDefaultMetrics({ register: runtime, eventLoopMonitoringPrecision: 100 }); // More often would keep an idle process awake.
  for (const name of RUNTIME) {
    const metric = runtime.getSingleMetric(name);
    if (metric) registry.registerMetric(metric);
  }
  const server = createServer({ shouldUpgradeCallback: () => false }, async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics')
      return void Object.assign(response, { statusCode: 404 }).end(); // restify's `writeHead`, for all servers, returns nothing.
    try {
      await runtime.metrics(); // Some are set when others are read.
      response.setHeader('Content-Type', registry.contentType).end(await registry.metrics());
    } catch (error) {
      log.error({ err: error }, 'GET /metrics failed');
      Object.assign(response, { statusCode: 500 }).end();
    }
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    log.warn({ err: error, host, port }, 'cannot listen on OPS_PORT: the bot runs without /metrics');
  }
  const address = server.address() as AddressInfo | null;
  return { url: address ? urlOf(address) : undefined, close: () => server.close() };
}

/** The address of a listener. One that listens everywhere is reached on loopback. */
export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
