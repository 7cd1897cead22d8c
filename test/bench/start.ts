import { rm } from 'node:fs/promises';
import { newFolder, type Running, type StartOptions, startContender } from './contenders.ts';
import { type BenchStage, openBenchStage } from './stage.ts';
import { median, verdict } from './table.ts';

const ROUNDS = 9;

/** Measures the time from process start to first answer, and compares it with an echo bot; then how a database opens. */
export async function* measureStart(): AsyncGenerator<string> {
  const [first, later, echo]: [Start[], Start[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await newFolder();
    first.push(await start(folder));
    later.push(await start(folder));
    echo.push(await started('echo bot', undefined, firstAnswer));
    await rm(folder, { recursive: true });
  }
  const of = (starts: Start[], key: keyof Start) => median(starts.map((each) => each[key]));
  const laterMs = of(later, 'answeredMs');
  yield `first answer after ${laterMs.toFixed(0)} ms, at the first start after ${of(first, 'answeredMs').toFixed(0)} ms; botbuilder's echo bot after ${median(echo).toFixed(0)} ms`;
  yield verdict('start to first answer, relative to the echo bot', laterMs / median(echo), 'at most', 1.25);
  yield verdict('ms until the database is open, first start', of(first, 'openMs'), 'at most', 1500);
  yield verdict('ms until the database is open, later start', of(later, 'openMs'), 'at most', 1500);
  yield* openings();
}

/** Milliseconds after the process began, with one message meanwhile. */
type Start = { answeredMs: number; openMs: number };

/** The first start on a folder makes the database's files while the bot is loaded, which slows the loading down. */
function start(folder: string): Promise<Start> {
  return started('nac-lookup-bot', { folder }, async (running, stage) => ({
    answeredMs: await firstAnswer(running, stage),
    openMs: (await running.opened) - running.startedAt, // The next start finds whole files.
  }));
}

async function firstAnswer(running: Running, stage: BenchStage): Promise<number> {
  await stage.ask(running.messagesUrl);
  return performance.now() - running.startedAt;
}

type Opening = { openMs: number; slowestMs: number; peakMb: number };

/** Starts on an empty folder, and again, are asked all the while. The askers take CPU too, so the database opens later. */
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
    yield `${kind} start, asked all the while: database open ${of('openMs').toFixed(0)} ms after the process began, slowest answer meanwhile ${of('slowestMs').toFixed(0)} ms, peak ${of('peakMb').toFixed(0)} MB`;
    yield verdict(`ms of the slowest answer, ${kind} start`, of('slowestMs'), 'at most', 300);
    yield verdict(`peak MB, ${kind} start`, Math.max(...all.map(({ peakMb }) => peakMb)), 'at most', 400);
  }
}

function opening(folder: string): Promise<Opening> {
  return started('nac-lookup-bot', { folder }, async (running, stage) => {
    let isOpen = false;
    const opened = running.opened.finally(() => {
      isOpen = true;
    });
    await stage.ask(running.messagesUrl); // The first answer loads and compiles much; its time is measured above.
    let slowestMs = 0;
    while (!isOpen) slowestMs = Math.max(slowestMs, await stage.ask(running.messagesUrl));
    const { peakMb } = await running.usage();
    return { openMs: (await opened) - running.startedAt, slowestMs, peakMb };
  });
}

async function started<Result>(
  contender: 'nac-lookup-bot' | 'echo bot',
  database: StartOptions['database'],
  measure: (running: Running, stage: BenchStage) => Promise<Result>,
): Promise<Result> {
  const stage = await openBenchStage();
  try {
    const { environment } = stage;
    const running = await startContender(contender, { environment, database, isUpEarly: true });
    const result = await measure(running, stage);
    await running.stop();
    return result;
  } finally {
    await stage.close();
  }
}
