import { once } from 'node:events';
import type { Logger } from 'pino';
import { acceptAlert } from '../dialogs/jobs/accept-alert.ts';
import { createAppTokens } from './authentication/app-tokens.ts';
import { openTokenCheck } from './authentication/channel-token.ts';
import { createAlertLimit } from './bot/limits.ts';
import { createAudit } from './ops/audit.ts';
import { createHealth } from './ops/health.ts';
import { createLog, endWithTheLog } from './ops/log.ts';
import type { Measured } from './ops/metrics.ts';
import { openMetrics } from './ops/metrics-server.ts';
import type { AlertOptions } from './server/alert-request.ts';
import { createServer } from './server.ts';
import { describeProblems, readSettings, type Settings } from './settings.ts';
import { openConversations } from './start/conversations.ts';
import { type Database, openDatabase } from './start/database.ts';
import { endUnstarted } from './start/fault.ts';
import { type Nac, openNac } from './start/nac.ts';
import { observeLookups, observePosts, observeTokens } from './start/observe.ts';
import { observeProxy } from './start/observe-proxy.ts';
import { stopOnSignals } from './start/stop.ts';
import { openUpstreams, tlsModes } from './start/upstreams.ts';
import { openVault } from './start/vault.ts';
import { readVersion } from './start/version.ts';
import { logFault } from './store/away.ts';
import { serverTlsOf } from './store/server-tls.ts';
import { Secret, secretsIn } from './text/secret.ts';
import { steadyNow } from './time/steady.ts';
import { createSender } from './webhook/sender.ts';

/** Opening the database takes a second of CPU; the delay keeps the first messages fast. */
const OPEN_DATABASE_AFTER_MS = 500;

/** Quick lookups need no database. */
const READY_WITHOUT_DATABASE_AFTER_MS = 10_000;

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

async function start(settings: Settings): Promise<void> {
  const log = openLog(settings);
  const health = createHealth(Date.now);
  const upstreams = openUpstreams(settings, (name) => observeProxy(name, log));
  const database = await openDatabase(settings.database, log, health.started);
  const vault = openVault(settings, upstreams, database, log);
  const nac = openNac(settings.nac, upstreams, vault, database.refusals, log);
  const ops = settings.ops && (await openMetrics(settings.ops, measuredOf(nac, database), log));
  const observers = { health, metrics: ops?.metrics, log };
  const lookUp = observeLookups(nac.lookUp, observers);
  const send = createSender({ upstream: upstreams.webhook, address: settings.webhook.address });
  const post = observePosts(send, observers);
  const tokens =
    settings.identity &&
    createAppTokens(settings.identity, upstreams.authority, Date.now, observeTokens(observers));

  const parts = {
    settings,
    nac,
    lookUp,
    post,
    vault,
    database,
    upstreams,
    tokens,
    health,
    metrics: ops?.metrics,
    audit: settings.audit ? createAudit(log) : () => {},
    log,
  };
  const { bot, staff } = openConversations(parts);
  database.employ(staff);

  const { identity, serviceHosts, listen } = settings;
  const server = createServer({
    bot,
    alerts: alertOptions(settings, database, log),
    ready: () => health.report(database.store.state(), nac.restsUntil() !== undefined),
    serviceHosts,
    checkToken: identity && openTokenCheck(identity, upstreams.keys),
    onRefused: ops?.metrics.refused,
    loopbackOnly: identity === undefined,
    log,
  });
  server.listen(listen.port, listen.host);
  await once(server, 'listening'); // restify re-emits `error` on this object; without a listener it would crash the process.
  log.info({ version: readVersion(), host: listen.host, port: server.address().port }, 'listening');
  log.flush(); // A supervisor or test may wait for this line.

  setTimeout(() => {
    database.store.open();
    database.refusals?.start();
    tokens?.get().catch(() => {}); // A wrong secret is told before the first reply needs a token.
  }, OPEN_DATABASE_AFTER_MS).unref();
  setTimeout(health.started, READY_WITHOUT_DATABASE_AFTER_MS).unref();
  const { stopDelayMs } = settings;
  stopOnSignals({ server, database, health, ops, upstreams, stopDelayMs, log });
}

function openLog(settings: Settings): Logger {
  const log = createLog({
    level: settings.logLevel,
    secrets: [...secretsIn(settings), new Secret(() => settings.webhook.address().token.reveal())],
  });
  endWithTheLog(log);
  for (const [name, { kind }] of Object.entries(tlsModes(settings))) {
    if (kind === 'insecure')
      log.warn({ upstream: name }, 'TLS is insecure: the certificate of this upstream is not checked');
  }
  if (serverTlsOf(settings.database) === 'no TLS')
    log.warn('the database is asked for no TLS: add sslmode=verify-full to DATABASE_URL');
  return log;
}

function measuredOf(nac: Nac, { store, queues }: Database): Measured {
  return {
    version: readVersion(),
    isDatabaseUp: () => store.state() === 'ok',
    nac: nac.counts,
    isPaused: () => nac.pausedUntil() !== undefined,
    isResting: () => nac.restsUntil() !== undefined,
    jobs: async () => ({
      lookup: await queues.lookup.count(),
      post: await queues.post.count(),
      reply: await queues.reply.count(),
      alert: await queues.alert.count(),
    }),
  };
}

function alertOptions(
  { alertsToken }: Settings,
  { queues, threads }: Database,
  log: Logger,
): AlertOptions | undefined {
  return (
    alertsToken && {
      token: alertsToken,
      take: createAlertLimit(steadyNow),
      accept: (alert) => acceptAlert(alert, { queue: queues.alert, threads, now: Date.now }),
      onError: (error) => logFault(log, error, 'an alert could not be stored'),
    }
  );
}
