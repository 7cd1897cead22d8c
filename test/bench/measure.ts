import autocannon from 'autocannon';
import { type Contender, type Running, type StartOptions, startContender } from './contenders.ts';
import { openBenchStage } from './stage.ts';

/** One contender's cost of its lookups. */
export type Figures = {
  /** Milliseconds of CPU per lookup, over all threads of the process. */
  cpuMs: number;
  lookupsPerSecond: number;
  /** Milliseconds from a message to its acknowledgement: the median and the 99th percentile. */
  p50Ms: number;
  p99Ms: number;
  /** Megabytes (10^6) of memory at the end. */
  rssMb: number;
};

export type MeasureOptions = RunOptions & {
  /** Messages before the measurement, while code is compiled and connections open. */
  warmUp: number;
  messages: number;
};

/**
 * Starts a contender, lets it do the work, and ends it.
 * @throws Error if any answer was wrong, missing or extra
 */
export async function measure(contender: Contender, options: MeasureOptions): Promise<Figures> {
  const { warmUp, messages, ...runOptions } = options;
  const run = await openRun(contender, runOptions);
  try {
    await run.load(warmUp);
    const before = await run.usage();
    const { latency, seconds } = await run.load(messages);
    const after = await run.usage();
    return {
      cpuMs: (after.cpuMs - before.cpuMs) / messages,
      lookupsPerSecond: messages / seconds,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
      rssMb: after.rssMb,
    };
  } finally {
    await run.close();
  }
}

export type RunOptions = {
  /** How many messages are in flight at once. */
  connections: number;
} & Pick<StartOptions, 'database' | 'nodeOptions'>;

/** A running contender, and the systems that it calls. */
export type Run = {
  /**
   * Sends messages and waits for their replies; the time counts from the first message to the last reply.
   * @throws Error if any answer was wrong, missing or extra
   */
  load(messages: number): Promise<{ latency: autocannon.Histogram; seconds: number }>;
  usage: Running['usage'];
  close(): Promise<void>;
};

export async function openRun(contender: Contender, { connections, ...options }: RunOptions): Promise<Run> {
  const stage = await openBenchStage();
  const running = await startContender(contender, { environment: stage.environment, ...options });
  return {
    async load(amount) {
      const begun = performance.now();
      const ended = stage.replied(amount).then(() => performance.now());
      const { latency } = await sendAll(running.messagesUrl, stage.nextActivity, { connections, amount });
      const seconds = ((await ended) - begun) / 1000;
      const faults = stage.faults();
      if (faults.length > 0)
        throw new Error(`${contender} did not do the work:\n${faults.slice(0, 10).join('\n')}`);
      return { latency, seconds };
    },
    usage: running.usage,
    async close() {
      await running.stop();
      await stage.close();
    },
  };
}

async function sendAll(
  url: string,
  nextActivity: () => string,
  { connections, amount }: { connections: number; amount: number },
): Promise<autocannon.Result> {
  const result = await autocannon({
    url,
    connections,
    amount,
    sampleInt: 100, // The run ends with a sample; the default interval of 1 s would add waiting.
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: nextActivity() }),
      },
    ],
  });
  const { errors, timeouts, non2xx } = result;
  if (errors + timeouts + non2xx > 0)
    throw new Error(`${errors} errors, ${timeouts} time-outs, ${non2xx} refusals of ${amount}`);
  return result;
}
