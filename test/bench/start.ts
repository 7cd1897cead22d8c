import { rm } from 'node:fs/promises';
import { newFolder, type Running, withContender } from './contenders.ts';
import type { BenchStage } from './stage.ts';
import { median, verdict } from './table.ts';

const ROUNDS = 9;

/** Measures a start on an empty folder, a later one, and an echo bot's. Each is asked all the while. */
export async function* measureStart(): AsyncGenerator<string> {
  const rounds: Array<{ first: Start; later: Start; echoMs: number }> = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await newFolder();
    const [first, later] = [await start(folder), await start(folder)];
    rounds.push({ first, later, echoMs: await withContender('echo bot', { isUpEarly: true }, firstAnswer) });
    await rm(folder, { recursive: true });
  }
  const echoMs = median(rounds.map((round) => round.echoMs));
  yield `first answer of botbuilder's echo bot after ${echoMs.toFixed(0)} ms`;
  for (const kind of ['first', 'later'] as const) {
    const of = (key: keyof Start) => median(rounds.map((round) => round[kind][key]));
    const [answered, open, slowest, peak] = ['answeredMs', 'openMs', 'slowestMs', 'peakMb'] as const;
    yield `${kind} start: first answer after ${of(answered).toFixed(0)} ms, database open after ${of(open).toFixed(0)} ms, slowest answer meanwhile ${of(slowest).toFixed(0)} ms, peak ${of(peak).toFixed(0)} MB`;
    const relative = 'start to first answer, relative to the echo bot';
    if (kind === 'later') yield verdict(relative, of(answered) / echoMs, 'at most', 1.25);
    yield verdict(`ms until the database is open, ${kind} start`, of(open), 'at most', 1500);
    yield verdict(`ms of the slowest answer, ${kind} start`, of(slowest), 'at most', 300);
    const most = Math.max(...rounds.map((round) => round[kind].peakMb));
    yield verdict(`peak MB, ${kind} start`, most, 'at most', 400);
  }
}

/** Milliseconds after the process began; the slowest answer until the database was open, without the first; megabytes (10^6). */
type Start = { answeredMs: number; openMs: number; slowestMs: number; peakMb: number };

/** Starts the bot, and asks until its database is open. The askers take CPU too, so the database opens later. */
function start(folder: string): Promise<Start> {
  const options = { database: { folder }, isUpEarly: true };
  return withContender('nac-lookup-bot', options, async (running, stage) => {
    let isOpen = false;
    const opened = running.opened.finally(() => {
      isOpen = true;
    });
    const answeredMs = await firstAnswer(running, stage);
    let slowestMs = 0;
    while (!isOpen) slowestMs = Math.max(slowestMs, await stage.ask(running.messagesUrl));
    const { peakMb } = await running.usage();
    return { answeredMs, openMs: (await opened) - running.startedAt, slowestMs, peakMb };
  });
}

async function firstAnswer(running: Running, stage: BenchStage): Promise<number> {
  await stage.ask(running.messagesUrl);
  return performance.now() - running.startedAt;
}
