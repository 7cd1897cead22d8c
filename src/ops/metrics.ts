import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, register } from 'prom-client';

/**
 * What the bot counts, in Prometheus' terms (https://prometheus.io/docs/practices/naming). Each label has a fixed set of
 * values, and none holds what a person, a device or another system says.
 */
export type Metrics = {
  /** A lookup and how long it took, waiting included (seconds). */
  lookup(outcome: string, seconds: number): void;
  post(outcome: string): void;
  /** A message, or an edit of one, that the chat service took or did not take. */
  reply(outcome: string): void;
  /** A request for one of the bot's own tokens. */
  token(outcome: string): void;
  /** A request that was refused, by its HTTP status. */
  refused(route: string, status: number): void;
  /** Someone asked for more than the limit per minute. */
  limited(): void;
  /** A change that reached the database's disk, and how long that took (milliseconds). */
  commit(ms: number): void;
  /** Returns the current state as Prometheus text. */
  render(): Promise<{ contentType: string; body: string }>;
};

/** The values that are read when the metrics are. */
export type Measured = {
  /** The bot's release. */
  version: string;
  isDatabaseUp(): boolean;
  /** Calls to the NAC in flight, and calls that wait for a place. */
  nac(): { running: number; waiting: number };
  /** Whether calls to the NAC are paused now. */
  isPaused(): boolean;
  /** Whether the service account rests after a refusal. */
  isResting(): boolean;
  /** Jobs in each queue of the database, and the age of the oldest that is due (milliseconds); rejects while the database is away. */
  jobs(): Promise<Readonly<Record<string, { waiting: number; dead: number; overdue: number }>>>;
};

/** How often the event loop's delay is measured. prom-client's default of 10 ms keeps an idle process awake. */
const EVENT_LOOP_LOOK_MS = 100;

/** What the bot measures of itself alone; `process_` and `nodejs_` are Prometheus' own names. */
const PREFIX = 'nac_lookup_bot_';

export function createMetrics(measured: Measured): Metrics {
  measureProcess();
  const registry = new Registry();
  const registers = [registry];
  const lookups = new Histogram({
    name: `${PREFIX}lookup_duration_seconds`,
    help: 'Lookups by outcome, with their duration',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
    registers,
  });
  const counter = (name: string, help: string) =>
    new Counter({ name: `${PREFIX}${name}`, help, labelNames: ['outcome'], registers });
  const posts = counter('posts_total', 'Posts to the room by outcome');
  const replies = counter('replies_total', 'Replies given to the chat service, by outcome');
  const tokens = counter('app_token_requests_total', "Requests for the bot's own tokens, by outcome");
  for (const [counted, good] of [
    [posts, 'posted'],
    [replies, 'sent'],
    [tokens, 'issued'],
  ] as const)
    counted.inc({ outcome: good }, 0);
  const refusals = new Counter({
    name: `${PREFIX}requests_refused_total`,
    help: 'Requests refused by route and HTTP status',
    labelNames: ['route', 'status'],
    registers,
  });
  const limited = new Counter({
    name: `${PREFIX}messages_limited_total`,
    help: 'Messages over a limit',
    registers,
  });
  const commits = new Histogram({
    name: `${PREFIX}database_commit_duration_seconds`,
    help: 'How long changes took to reach the disk of the database',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  addGauges(measured, registers);

  return {
    lookup: (outcome, seconds) => lookups.observe({ outcome }, seconds),
    post: (outcome) => posts.inc({ outcome }),
    reply: (outcome) => replies.inc({ outcome }),
    token: (outcome) => tokens.inc({ outcome }),
    refused: (route, status) => refusals.inc({ route, status }),
    limited: () => limited.inc(),
    commit: (ms) => commits.observe(ms / 1000),
    render: async () => ({
      contentType: registry.contentType,
      body: await Registry.merge([register, registry]).metrics(),
    }),
  };
}

/** Begins to measure the process: once, because the library never ends it. Bots of one process share these figures. */
function measureProcess(): void {
  if (register.getSingleMetric(FIRST_OF_PROCESS) === undefined)
    collectDefaultMetrics({ eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS });
}

const FIRST_OF_PROCESS = 'process_cpu_user_seconds_total';

/** What is asked at each request for metrics. */
function addGauges(measured: Measured, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  gauge('database_up', '1 while the database answers', () => Number(measured.isDatabaseUp()));
  gauge('nac_calls_running', 'Calls to the NAC in flight', () => measured.nac().running);
  gauge('nac_calls_waiting', 'Lookups that wait for a place', () => measured.nac().waiting);
  gauge('nac_paused', '1 while calls to the NAC are paused after failures', () =>
    Number(measured.isPaused()),
  );
  gauge('nac_credentials_resting', '1 while the service account rests after a refusal', () =>
    Number(measured.isResting()),
  );
  addJobs(measured, registers);
  new Gauge({
    name: `${PREFIX}build_info`,
    help: "1; the labels are the bot's release and Node's",
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: measured.version, node: process.version }, 1);
}

/** The gauges of jobs. One request for metrics counts them once. */
function addJobs(measured: Measured, registers: Registry[]): void {
  type Jobs = Awaited<ReturnType<Measured['jobs']>>;
  let counting: Promise<Jobs> | undefined;
  async function count(): Promise<Array<[queue: string, Jobs[string]]>> {
    counting ??= measured.jobs().finally(() => {
      counting = undefined;
    });
    return Object.entries(await counting.catch(() => ({})));
  }

  new Gauge({
    name: `${PREFIX}jobs`,
    help: 'Jobs in the database by queue and state; absent while the database is away',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      this.reset();
      for (const [queue, { waiting, dead }] of await count()) {
        this.set({ queue, state: 'waiting' }, waiting);
        this.set({ queue, state: 'dead' }, dead);
      }
    },
  });
  new Gauge({
    name: `${PREFIX}oldest_due_job_seconds`,
    help: 'Age of the oldest job that is due, by queue; absent while the database is away',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset();
      for (const [queue, { overdue }] of await count()) this.set({ queue }, overdue / 1000);
    },
  });
}
