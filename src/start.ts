import type { Logger } from 'pino';
import { createHealth } from './ops/health.ts';
import { createLog, endWithTheLog } from './ops/log.ts';
import { describeProblems, readSettings, type Settings } from './settings.ts';
import { endUnstarted } from './start/fault.ts';
import { openStore } from './start/store.ts';
import { Secret, secretsIn } from './text/secret.ts';

await main();

async function main(): Promise<void> {
  const read = readSettings(process.env);
  if ('problems' in read) {
    process.stderr.write(describeProblems(read.problems));
    process.exitCode = 2;
    return;
  }
  try {
    await start(read.settings);
  } catch (error) {
    endUnstarted(error);
  }
}

/** The store comes first: a new database is made in a thread of its own, while this thread loads the rest. */
async function start(settings: Settings): Promise<void> {
  const log = openLog(settings);
  const health = createHealth(Date.now);
  const opening = await openStore(settings.database, log, health.started);
  const { serve } = await import('./start/serve.ts');
  await serve({ settings, opening, health, log });
}

function openLog(settings: Settings): Logger {
  const log = createLog({
    level: settings.logLevel,
    secrets: [...secretsIn(settings), new Secret(() => settings.webhook.address().token.reveal())],
  });
  endWithTheLog(log);
  return log;
}
