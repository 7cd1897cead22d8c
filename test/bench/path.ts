import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readSettings } from '../../src/settings.ts';
import { openBenchStage } from './stage.ts';
import { type CalledFunction, recordStacks, startCoverage } from './trace.ts';

const COMMAND = 'dialogs/commands/lookup.ts';
/** The first four lookups warm the bot up; the next five are measured one by one. */
const [WARM_UPS, MEASURED] = [4, 5];
/** Work that is put off to a timer counts, if it begins so soon after the reply. */
const AFTER_REPLY_MS = 300;

/**
 * Counts the functions and files of one found lookup and of one alert, and the frames from the command to the NAC's socket.
 * The bot runs in this process, without personal sign-in. Two figures are shown: the fewest and the most of the measured
 * ones, because its workers look at the database once a second.
 * @param options.isListed whether to list the functions; `+` marks those that only the most have
 */
export async function* measurePath({ isListed }: { isListed: boolean }): AsyncGenerator<string> {
  const bot = await startBot();
  const coverage = await startCoverage();
  const stacks = recordStacks('/Session/MACAddress/');
  try {
    for (const work of ['lookup', 'alert'] as const) {
      const measured: CalledFunction[][] = [];
      for (let done = 0; done < WARM_UPS + MEASURED; done++) {
        await coverage.take();
        await bot[work]();
        await delay(AFTER_REPLY_MS);
        measured.push(await coverage.take());
      }
      const sorted = measured.slice(WARM_UPS).toSorted((a, b) => a.length - b.length);
      const [fewest = [], most = []] = [sorted[0], sorted.at(-1)];
      const [min, max] = [fewest, most].map((called) => new Set(called.map(({ file }) => file)).size);
      yield `one ${work}: ${fewest.length} to ${most.length} functions in ${min} to ${max} files`;
      if (isListed) yield* functionLines(fewest, most);
      if (work === 'lookup') yield* frameLines(stacks.framesFrom(COMMAND));
    }
    bot.checkEffects();
  } finally {
    stacks.end();
    coverage.end();
    await bot.stop();
  }
}

/** Starts a bot with a thread for alerts. `lookup` and `alert` resolve when the chat service has the answer. */
async function startBot() {
  const stage = await openBenchStage();
  const folder = await mkdtemp(join(tmpdir(), 'nac-lookup-bot-path-'));
  const local = { ALLOW_UNAUTHENTICATED: '1', HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0' };
  const read = readSettings({ ...stage.environment, ...local, DATA_DIR: folder });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const app = await createApp(read.settings, { log: pino({ level: 'info' }, { write() {} }) });
  const post = (path: string, body: object) => stage.post(app.url + path, body);
  const nextActivity = () => JSON.parse(stage.nextActivity());
  while (!(await fetch(`${app.url}/readyz`)).ok) await delay(20); // Alerts need the database.
  await post('/api/messages', { ...nextActivity(), text: 'alerts here as bench' });
  const faults = stage.faults().length; // The stage expects no reply to such a command.
  return {
    async lookup(): Promise<void> {
      await Promise.all([stage.replied(1), post('/api/messages', nextActivity())]);
    },
    async alert(): Promise<void> {
      const { id: groupKey, text } = nextActivity();
      const labels = { alertname: 'PortDown', mac: text.replace('lookup ', '') };
      const alerts = [{ status: 'firing', labels, startsAt: new Date().toISOString() }];
      const body = { version: '4', status: 'firing', groupKey, alerts };
      await Promise.all([stage.replied(1), post('/api/alerts/bench', body)]);
    },
    /** @throws Error unless each lookup and each alert caused one call, one post and one answer */
    checkEffects(): void {
      if (stage.faults().length > faults) throw new Error(stage.faults().join('\n'));
    },
    async stop(): Promise<void> {
      await app.stop();
      await stage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function* frameLines({ frames, isWhole }: { frames: string[]; isWhole: boolean }): Generator<string> {
  const note = isWhole ? '' : `, and more: the stack does not reach ${COMMAND}`;
  yield `frames from the command to the socket: ${frames.length}${note}`;
  for (const frame of frames) yield `  ${frame}`;
}

function* functionLines(fewest: CalledFunction[], most: CalledFunction[]): Generator<string> {
  const keys = new Set(fewest.map(({ file, offset }) => `${file}:${offset}`));
  const files = Map.groupBy(most, (each) => each.file);
  for (const [file, called] of [...files].sort(([a], [b]) => a.localeCompare(b))) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const names = called.map(({ name, offset }) => {
      const mark = keys.has(`${file}:${offset}`) ? '' : '+';
      return `${mark}${name || 'anonymous'}:${text.slice(0, offset).split('\n').length}`;
    });
    yield `  ${file} (${called.length}): ${names.join(' ')}`;
  }
}
