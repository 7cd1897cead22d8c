import autocannon from 'autocannon';
import { type Contender, type StartOptions, startContender } from './contenders.ts';
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

/**
 * Starts a contender, lets it do the work, and ends it.
 * @param options.warmUp messages before the measurement, while code is compiled and connections open
 * @throws Error if any answer was wrong, missing or extra
 */
export async function measure(
  contender: Contender,
  { warmUp, messages, connections }: { warmUp: number; messages: number; connections: number },
): Promise<Figures> {
  const run = await openRun(contender, { connections });
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

/** Opens a running contender, and the systems that it calls. @param options.connections messages in flight at once */
export async function openRun(
  contender: Contender,
  { connections, database }: { connections: number; database?: StartOptions['database'] },
) {
  const stage = await openBenchStage();
  const running = await startContender(contender, { environment: stage.environment, database });
  return {
    /**
     * Sends messages and waits for their replies; the time counts from the first message to the last reply.
     * @throws Error if any answer was wrong, missing or extra
     */
    async load(amount: number) {
      const begun = performance.now();
      const ended = stage.replied(amount).then(() => performance.now());
      const latency = await sendAll(running.messagesUrl, () => stage.nextActivity(), { connections, amount });
      const seconds = ((await ended) - begun) / 1000;
      const faults = stage.faults();
      if (faults.length > 0)
        throw new Error(`${contender} did not do the work:\n${faults.slice(0, 10).join('\n')}`);
      return { latency, seconds };
    },
    usage: running.usage,
    async close(): Promise<void> {
      await running.stop();
      await stage.close();
    },
  };
}

async function sendAll(
  url: string,
  nextActivity: () => string,
  { connections, amount }: { connections: number; amount: number },
): Promise<autocannon.Histogram> {
  const { latency, errors, timeouts, non2xx } = await autocannon({
    url,
    connections,
    amount,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    sampleInt: 100, // The run ends with a sample; the default interval of 1 s would add waiting.
    requests: [{ setupRequest: (request) => ({ ...request, body: nextActivity() }) }],
  });
  if (errors + timeouts + non2xx > 0)
    throw new Error(`${errors} errors, ${timeouts} time-outs, ${non2xx} refusals of ${amount}`);
  return latency;
}
