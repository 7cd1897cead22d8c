import autocannon from 'autocannon';
import { type Contender, type StartOptions, startContender } from './contenders.ts';
import { openBenchStage } from './stage.ts';

/** What one contender needs for its lookups. */
export type Figures = {
  /** Milliseconds of CPU a lookup, over all threads of the process. */
  cpuMs: number;
  lookupsPerSecond: number;
  /** Milliseconds from a message to its acknowledgement: the median, and what 99 of 100 stay below. */
  p50Ms: number;
  p99Ms: number;
  /** Megabytes (10^6) of memory at the end. */
  rssMb: number;
};

export type MeasureOptions = {
  /** How many messages are under way at once. */
  connections: number;
  /** How many go first and do not count: code is compiled, connections are made. */
  warmUp: number;
  messages: number;
} & Pick<StartOptions, 'database' | 'nodeOptions'>;

/**
 * Starts a contender, lets it do the work, and ends it.
 * @throws Error where any answer was wrong, missing or too many
 */
export async function measure(
  contender: Contender,
  { connections, warmUp, messages, ...options }: MeasureOptions,
): Promise<Figures> {
  const stage = await openBenchStage();
  const running = await startContender(contender, { environment: stage.environment, ...options });
  try {
    const load = async (amount: number) => {
      const begun = performance.now();
      const ended = stage.replied(amount).then(() => performance.now());
      const { latency } = await sendAll(running.messagesUrl, stage.nextActivity, { connections, amount });
      return { latency, seconds: ((await ended) - begun) / 1000 };
    };
    await load(warmUp);
    const before = await running.usage();
    const { latency, seconds } = await load(messages);
    const after = await running.usage();
    const faults = stage.faults();
    if (faults.length > 0)
      throw new Error(`${contender} did not do the work:\n${faults.slice(0, 10).join('\n')}`);
    return {
      cpuMs: (after.cpuMs - before.cpuMs) / messages,
      lookupsPerSecond: messages / seconds,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
      rssMb: after.rssMb,
    };
  } finally {
    await running.stop();
    await stage.close();
  }
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
    sampleInt: 100, // It ends with a sample; one a second would be waited for.
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
