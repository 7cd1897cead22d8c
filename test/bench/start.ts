import { withContender } from './contenders.ts';
import { median, verdict } from './table.ts';

const ROUNDS = 9;

/** Measures the time from the start of a process to its first answer, relative to botbuilder's echo bot. */
export async function* measureStart(): AsyncGenerator<string> {
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const [own, echo] = [await firstAnswerMs('nac-lookup-bot'), await firstAnswerMs('echo bot')];
    ratios.push(own / echo);
    yield `round ${round}: ${own.toFixed(0)} ms, the echo bot ${echo.toFixed(0)} ms`;
  }
  yield verdict('start to first answer, relative to the echo bot', median(ratios), 'at most', 1.2);
}

function firstAnswerMs(name: 'nac-lookup-bot' | 'echo bot'): Promise<number> {
  return withContender(name, {}, async ({ messagesUrl, startedAt }, stage) => {
    await stage.ask(messagesUrl);
    return performance.now() - startedAt;
  });
}
