import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

type Jobs = Readonly<Record<string, { waiting: number; dead: number; overdue: number }>>;

/** The values that are read whenever the metrics are. */
export type Measured = {
  version: string;
  isDatabaseUp(): boolean;
  nac(): { running: number; waiting: number };
  isPaused(): boolean;
  isResting(): boolean;
  seesNobody(): boolean;
  /** Alerts without an address since the start, by the name that they were sent to; undefined: to none. */
  alertsWithoutAddress: ReadonlyMap<string | undefined, number>;
  /** Which systems have failed since they last answered, by name. */
  failing(): Readonly<Record<string, boolean>>;
  /** Jobs in each queue, and the age of the oldest that is due (milliseconds); rejects while the database is away. */
  jobs(): Promise<Jobs>;
  /** How many devices are watched, and for how long the oldest watch has been due (milliseconds); undefined: turned off. */
  watches: (() => Promise<{ count: number; overdueMs: number }>) | undefined;
};

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * What the bot counts, in Prometheus' terms (https://prometheus.io/docs/practices/naming). Each label has a fixed set of
 * values, or the names of alerts, which administrators give. None holds what a device or another system says.
 */
export function createMetrics() {
  const registry = new Registry();
  const named = namesIn(registry);
  function counter(name: string, help: string, ...begun: string[]): (outcome: string) => void {
    const counted = new Counter({ ...named(name, help), labelNames: ['outcome'] });
    for (const outcome of begun) counted.inc({ outcome }, 0); // A rate needs a beginning.
    return (outcome) => counted.inc({ outcome });
  }
  const lookups = new Histogram({
    ...named('lookup_duration_seconds', 'Lookups by outcome, with their duration'),
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
  });
  const refusals = new Counter({
    ...named('requests_refused_total', 'Requests refused by route and HTTP status'),
    labelNames: ['route', 'status'],
  });
  const limited = new Counter(named('messages_limited_total', 'Messages over a limit'));
  const commits = new Histogram({
    ...named('database_commit_duration_seconds', 'How long changes took to reach the disk of the database'),
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  });
  return {
    registry,
    /** A lookup and how long it took, waiting included (seconds). */
    lookup: (outcome: string, seconds: number) => lookups.observe({ outcome }, seconds),
    post: counter('posts_total', 'Posts to the room by outcome', 'posted', ...REFUSED_FOR_GOOD),
    reply: counter('replies_total', 'Replies given to the chat service, by outcome', 'sent'),
    token: counter('app_token_requests_total', "Requests for the bot's own tokens, by outcome", 'issued'),
    refused: (route: string, status: number) => refusals.inc({ route, status }),
    limited: () => limited.inc(),
    /** A change that reached the database's disk, and how long that took (milliseconds). */
    commit: (ms: number) => commits.observe(ms / 1000),
  };
}

/** Outcomes of posts that a rule watches from the first on. */
const REFUSED_FOR_GOOD = ['not found', 'suspended', 'rejected'];

/** What the bot measures of itself alone has its prefix; `process_` and `nodejs_` are Prometheus' own names. */
function namesIn(registry: Registry) {
  return (name: string, help: string) => ({ name: `nac_lookup_bot_${name}`, help, registers: [registry] });
}

/** Adds what is read from the bot's parts whenever the metrics are. */
export function addGauges({ registry }: Pick<Metrics, 'registry'>, measured: Measured): void {
  const named = namesIn(registry);
  /** Absent without a value. */
  function gauge(
    name: string,
    help: string,
    read: () => number | boolean | Promise<number | undefined>,
  ): void {
    const gauged: Gauge = new Gauge({
      ...named(name, help),
      async collect() {
        const value = await read();
        if (value === undefined) gauged.remove();
        else gauged.set(Number(value));
      },
    });
  }
  gauge('database_up', '1 while the database answers', measured.isDatabaseUp);
  gauge('nac_calls_running', 'Calls to the NAC in flight', () => measured.nac().running);
  gauge('nac_calls_waiting', 'Lookups that wait for a place', () => measured.nac().waiting);
  gauge('nac_paused', '1 while calls to the NAC are paused after failures', measured.isPaused);
  gauge('nac_credentials_resting', '1 while the service account rests after a refusal', measured.isResting);
  gauge('nac_sees_nobody', '1 while the NAC says that it has no active session at all', measured.seesNobody);
  new Gauge({
    ...named('upstream_failing', '1 from the first failure of a system to its next success'),
    labelNames: ['upstream'],
    collect() {
      for (const [upstream, isFailing] of Object.entries(measured.failing()))
        this.set({ upstream }, Number(isFailing));
    },
  });
  new Gauge({
    ...named('alerts_without_address', 'Alerts that held no MAC address since the start, by their name'),
    labelNames: ['alert_name'],
    collect() {
      for (const [name = '', count] of measured.alertsWithoutAddress) this.set({ alert_name: name }, count);
    },
  });
  const build = { version: measured.version, node: process.version };
  const info = named('build_info', "1; the labels are the bot's release and Node's");
  new Gauge({ ...info, labelNames: Object.keys(build) }).set(build, 1);

  let counting: Promise<Jobs> | undefined; // One request for metrics counts the jobs once.
  async function queues() {
    counting ??= measured.jobs().finally(() => {
      counting = undefined;
    });
    return Object.entries(await counting.catch((): Jobs => ({})));
  }
  const absent = 'absent while the database is away';
  const watches = async () => measured.watches?.().catch(() => undefined);
  gauge('watches', `Watched devices, each in a thread; ${absent}`, async () => (await watches())?.count);
  gauge('oldest_due_watch_seconds', `Age of the oldest watch that is due; ${absent}`, async () => {
    const { overdueMs } = (await watches()) ?? {};
    return overdueMs && overdueMs / 1000;
  });
  new Gauge({
    ...named('jobs', `Jobs in the database by queue and state; ${absent}`),
    labelNames: ['queue', 'state'],
    async collect() {
      this.reset();
      for (const [queue, { waiting, dead }] of await queues())
        for (const [state, count] of Object.entries({ waiting, dead })) this.set({ queue, state }, count);
    },
  });
  new Gauge({
    ...named('oldest_due_job_seconds', `Age of the oldest job that is due, by queue; ${absent}`),
    labelNames: ['queue'],
    async collect() {
      this.reset();
      for (const [queue, { overdue }] of await queues()) this.set({ queue }, overdue / 1000);
    },
  });
}

/**
 * Serves the metrics at `GET /metrics`, on a port of its own that the chat service never reaches. A port in use causes a
 * warning only: several bots may run on one machine, and an answer is worth more than a metric.
 */
export async function serveMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  { host, port }: { host: string; port: number },
  log: Logger,
): Promise<{ url: string | undefined; close(): void }> {
  const endMeasuring = addRuntime(registry);
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
  const close = () => {
    endMeasuring();
    server.close();
  };
  return { url: address ? urlOf(address) : undefined, close };
}

/** Adds Node's own six series; the library has fifty. Returns a function that ends the measuring. */
function addRuntime(registry: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution: 100 }); // More often would keep an idle process awake.
  delays.enable();
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({ name, help, registers, collect: collectWith(read) });
  const seconds = ({ user, system } = process.cpuUsage()) => (user + system) / 1e6;
  const [name, help] = ['process_cpu_seconds_total', 'CPU time of the process'];
  new Counter({ name, help, registers, collect: collectWith(() => seconds()) });
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
  return () => delays.disable();
}

function collectWith(read: () => number) {
  return function (this: Counter | Gauge): void {
    this.reset();
    this.inc(read());
  };
}

/** The address of a listener. One that listens everywhere is reached on loopback. */
export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
