import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the bot counts, in Prometheus' terms. No label holds what a person or a device says. */
export type Metrics = {
  /** A lookup and how long it took, waiting included (seconds). */
  lookup(outcome: string, seconds: number): void;
  post(outcome: string): void;
  /** A request that was refused, by its HTTP status. */
  refused(route: string, status: number): void;
  /** Someone asked for more than the limit per minute. */
  limited(): void;
  /** Returns the current state as Prometheus text. */
  render(): Promise<{ contentType: string; body: string }>;
};

/** The values that are read when the metrics are. */
export type Measured = {
  /** Calls to the NAC in flight, and calls that wait for a place. */
  nac(): { running: number; waiting: number };
  /** Whether calls to the NAC are paused now. */
  isPaused(): boolean;
  /** Whether the service account rests after a refusal. */
  isResting(): Promise<boolean>;
  /** Jobs in each queue of the database; rejects while the database is away. */
  jobs(): Promise<Readonly<Record<string, { waiting: number; dead: number }>>>;
};

/** How often the event loop's delay is measured. prom-client's default of 10 ms keeps an idle process awake. */
const EVENT_LOOP_LOOK_MS = 100;

export function createMetrics(measured: Measured): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS });
  const registers = [registry];
  const lookups = new Histogram({
    name: 'nac_lookup_seconds',
    help: 'Lookups by outcome, with their duration',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
    registers,
  });
  const posts = new Counter({
    name: 'webhook_posts_total',
    help: 'Posts to the room by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'requests_refused_total',
    help: 'Requests refused by route and HTTP status',
    labelNames: ['route', 'status'],
    registers,
  });
  const limited = new Counter({ name: 'limited_total', help: 'Messages over a limit', registers });
  addGauges(measured, registers);

  return {
    lookup: (outcome, seconds) => lookups.observe({ outcome }, seconds),
    post: (outcome) => posts.inc({ outcome }),
    refused: (route, status) => refusals.inc({ route, status }),
    limited: () => limited.inc(),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** What is asked at each request for metrics. */
function addGauges(measured: Measured, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  gauge('nac_calls_running', 'Calls to the NAC in flight', () => measured.nac().running);
  gauge('nac_calls_waiting', 'Lookups that wait for a place', () => measured.nac().waiting);
  gauge('nac_paused', '1 while calls to the NAC are paused after failures', () =>
    Number(measured.isPaused()),
  );
  gauge('nac_credentials_resting', '1 while the service account rests after a refusal', async () =>
    Number(await measured.isResting()),
  );
  new Gauge({
    name: 'jobs',
    help: 'Jobs in the database by queue and state; absent while the database is away',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      this.reset();
      for (const [queue, { waiting, dead }] of Object.entries(await measured.jobs().catch(() => ({})))) {
        this.set({ queue, state: 'waiting' }, waiting);
        this.set({ queue, state: 'dead' }, dead);
      }
    },
  });
}
