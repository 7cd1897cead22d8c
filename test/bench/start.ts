import { rm } from 'node:fs/promises';
import { newFolder, type Running, type StartOptions, startContender } from './contenders.ts';
import { type BenchStage, openBenchStage } from './stage.ts';
import { median, verdict } from './table.ts';

const ROUNDS = 9;

/** Measures the time from process start to first answer, and compares it with an echo bot; then how a database opens. */
export async function* measureStart(): AsyncGenerator<string> {
  const [first, later, echo]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await newFolder();
    first.push(await firstAnswer('nac-lookup-bot', folder));
    later.push(await firstAnswer('nac-lookup-bot', folder));
    echo.push(await firstAnswer('echo bot', folder));
    await rm(folder, { recursive: true });
  }
  const [firstMs, laterMs, echoMs] = [first, later, echo].map((times) => median(times).toFixed(0));
  yield `first answer after ${laterMs} ms, at the first start after ${firstMs} ms; botbuilder's echo bot after ${echoMs} ms`;
  yield verdict(
    'start to first answer, relative to the echo bot',
    median(later) / median(echo),
    'at most',
    1.25,
  );
  yield* openings();
}

/** The first start on a folder makes the database's files while the bot is loaded, which slows the loading down. */
function firstAnswer(contender: 'nac-lookup-bot' | 'echo bot', folder: string): Promise<number> {
  return started(contender, { database: { folder } }, async (running, stage) => {
    await ask(running, stage);
    const answeredMs = performance.now() - running.startedAt;
    if (contender === 'nac-lookup-bot') await running.opened; // The next start finds whole files.
    return answeredMs;
  });
}

type Opening = { openMs: number; slowestMs: number; peakMb: number };

/** The first start makes the files of the embedded database; the next start finds them. Both are asked all the while. */
async function* openings(): AsyncGenerator<string> {
  const rounds: Array<{ first: Opening; later: Opening }> = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await newFolder();
    rounds.push({ first: await opening(folder), later: await opening(folder) });
    await rm(folder, { recursive: true });
  }
  for (const kind of ['first', 'later'] as const) {
    const all = rounds.map((round) => round[kind]);
    const of = (key: keyof Opening) => median(all.map((each) => each[key]));
    yield `${kind} start: database open ${of('openMs').toFixed(0)} ms after the process began, slowest answer meanwhile ${of('slowestMs').toFixed(0)} ms, peak ${of('peakMb').toFixed(0)} MB`;
    yield verdict(`ms until the database is open, ${kind} start`, of('openMs'), 'at most', 1500);
    yield verdict(`ms of the slowest answer, ${kind} start`, of('slowestMs'), 'at most', 300);
    yield verdict(`peak MB, ${kind} start`, Math.max(...all.map(({ peakMb }) => peakMb)), 'at most', 400);
  }
}

function opening(folder: string): Promise<Opening> {
  return started('nac-lookup-bot', { database: { folder } }, async (running, stage) => {
    let openMs: number | undefined;
    void running.opened.then((at) => {
      openMs = at - running.startedAt;
    });
    await ask(running, stage); // The first answer loads and compiles much; its time is measured above.
    let slowestMs = 0;
    while (openMs === undefined) slowestMs = Math.max(slowestMs, await ask(running, stage));
    const { peakMb } = await running.usage();
    return { openMs, slowestMs, peakMb };
  });
}

/** Sends one message, and returns the milliseconds until its answer. */
async function ask({ messagesUrl }: Running, stage: BenchStage): Promise<number> {
  const begun = performance.now();
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(messagesUrl, { method: 'POST', headers, body: stage.nextActivity() });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return performance.now() - begun;
}

async function started<Result>(
  contender: 'nac-lookup-bot' | 'echo bot',
  options: Pick<StartOptions, 'database'>,
  measure: (running: Running, stage: BenchStage) => Promise<Result>,
): Promise<Result> {
  const stage = await openBenchStage();
  try {
    const running = await startContender(contender, {
      ...options,
      environment: stage.environment,
      isUpEarly: true,
    });
    const result = await measure(running, stage);
    await running.stop();
    return result;
  } finally {
    await stage.close();
  }
}
