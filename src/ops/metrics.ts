import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

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
  const named = namedIn(registry, 'nac_lookup_bot_');
  function counter(name: string, help: string, ...begun: string[]): Counter<'outcome'> {
    const counted = new Counter({ ...named(name, help), labelNames: ['outcome'] });
    for (const outcome of begun) counted.inc({ outcome }, 0); // A rate needs a beginning.
    return counted;
  }
  return {
    registry,
    gauge: gaugesIn(named),
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

const namedIn =
  (registry: Registry, prefix = '') =>
  (name: string, help: string) => ({ name: prefix + name, help, registers: [registry] });

/** Of this process, whose bots share it. More often would keep an idle process awake. */
const delays = monitorEventLoopDelay({ resolution: 100 });

/** Adds Node's own six series; the library has fifty. */
function addRuntime(named: ReturnType<typeof namedIn>): void {
  delays.enable();
  const gauge = gaugesIn(named);
  new Counter({
    ...named('process_cpu_seconds_total', 'CPU time of the process'),
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  gauge('process_start_time_seconds', 'Start of the process since 1970', () => performance.timeOrigin / 1000);
  gauge('process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss());
  gauge('nodejs_heap_size_used_bytes', "Used part of V8's heap", () => process.memoryUsage().heapUsed);
  gauge('nodejs_eventloop_lag_p99_seconds', 'Delay of the event loop since the last request', () => {
    const lag = delays.percentile(99) / 1e9;
    delays.reset();
    return lag;
  });
  if (process.platform === 'linux')
    gauge('process_open_fds', 'Open files and sockets', () => readdirSync('/proc/self/fd').length);
}

/** Adds gauges that are read whenever the metrics are. Without labels a gauge has one value; undefined: absent. */
function gaugesIn(named: ReturnType<typeof namedIn>) {
  return (
    name: string,
    help: string,
    read: () => Value | Values | Promise<Value | Values>,
    ...labelNames: string[]
  ): void => {
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
  };
}

/**
 * Serves the metrics at `GET /metrics`, on a port of its own that the chat service never reaches. A port in use causes a
 * warning only: several bots may run on one machine, and an answer is worth more than a metric.
 */
export async function serveMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  { host, port }: { host: string; port: number },
  log: Logger,
) {
  addRuntime(namedIn(registry));
  const server = createServer({ shouldUpgradeCallback: () => false }, async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics')
      return void Object.assign(response, { statusCode: 404 }).end(); // restify's `writeHead`, for all servers, returns nothing.
    try {
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
