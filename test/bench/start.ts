import { startContender } from './contenders.ts';
import { openBenchStage } from './stage.ts';
import { median, verdict } from './table.ts';

const ROUNDS = 9;

/** Measures the time from process start to first answer, and compares it with an echo bot. */
export async function* measureStart({ database }: { database: string }): AsyncGenerator<string> {
  const [ours, echo]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await firstAnswer('nac-lookup-bot', database));
    echo.push(await firstAnswer('echo bot', undefined));
  }
  yield `first answer after ${median(ours).toFixed(0)} ms, botbuilder's echo bot after ${median(echo).toFixed(0)} ms`;
  yield verdict(
    'start to first answer, relative to the echo bot',
    median(ours) / median(echo),
    'at most',
    1.25,
  );
}

async function firstAnswer(
  contender: 'nac-lookup-bot' | 'echo bot',
  database: string | undefined,
): Promise<number> {
  const stage = await openBenchStage();
  try {
    const running = await startContender(contender, {
      environment: stage.environment,
      database,
      isUpEarly: true,
    });
    const response = await fetch(running.messagesUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: stage.nextActivity(),
    });
    if (!response.ok) throw new Error(`${contender} answered ${response.status}`);
    const ended = performance.now();
    await running.stop();
    return ended - running.startedAt;
  } finally {
    await stage.close();
  }
}
