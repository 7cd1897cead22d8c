import { once } from 'node:events';
import type { Logger } from 'pino';
import { acceptAlert } from '../../dialogs/jobs/accept-alert.ts';
import { createAppTokens } from '../authentication/app-tokens.ts';
import { openTokenCheck } from '../authentication/channel-token.ts';
import { createAlertLimit } from '../bot/limits.ts';
import { createAudit } from '../ops/audit.ts';
import type { Health } from '../ops/health.ts';
import type { Measured } from '../ops/metrics.ts';
import { openMetrics } from '../ops/metrics-server.ts';
import type { AlertOptions } from '../server/alert-request.ts';
import { createServer } from '../server.ts';
import type { Settings } from '../settings.ts';
import { logFault } from '../store/away.ts';
import { serverTlsOf } from '../store/server-tls.ts';
import { steadyNow } from '../time/steady.ts';
import { createSender } from '../webhook/sender.ts';
import { openConversations } from './conversations.ts';
import { createDatabase, type Database } from './database.ts';
import { type Nac, openNac } from './nac.ts';
import { observeLookups, observePosts, observeTokens } from './observe.ts';
import { observeProxy } from './observe-proxy.ts';
import { stopOnSignals } from './stop.ts';
import type { Opening } from './store.ts';
import { openUpstreams, tlsModes } from './upstreams.ts';
import { openVault } from './vault.ts';
import { readVersion } from './version.ts';

/** A message that waited for the port is answered before a server's driver is loaded. */
const OPEN_DATABASE_AFTER_MS = 250;

/** Quick lookups need no database. */
const READY_WITHOUT_DATABASE_AFTER_MS = 10_000;

export type Serving = { settings: Settings; opening: Opening; health: Health; log: Logger };

/** Puts the parts together and listens. */
export async function serve({ settings, opening, health, log }: Serving): Promise<void> {
  warnOfTls(settings, log);
  const upstreams = openUpstreams(settings, (name) => observeProxy(name, log));
  const database = createDatabase(settings.database, opening, log);
  const vault = openVault(settings, upstreams, database, log);
  const nac = openNac(settings.nac, upstreams, vault, database.refusals, log);
  const ops = settings.ops && (await openMetrics(settings.ops, measuredOf(nac, database), log));
  const observers = { health, metrics: ops?.metrics, log };
  if (ops) database.store.onCommit(ops.metrics.commit);
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
    tokens?.get().catch(() => {}); // A wrong secret is told before the first reply needs a token.
  }, OPEN_DATABASE_AFTER_MS).unref();
  setTimeout(health.started, READY_WITHOUT_DATABASE_AFTER_MS).unref();
  const { stopDelayMs } = settings;
  stopOnSignals({ server, database, health, ops, upstreams, stopDelayMs, log });
}

function warnOfTls(settings: Settings, log: Logger): void {
  for (const [name, { kind }] of Object.entries(tlsModes(settings))) {
    if (kind === 'insecure')
      log.warn({ upstream: name }, 'TLS is insecure: the certificate of this upstream is not checked');
  }
  const databaseTls = serverTlsOf(settings.database);
  if (databaseTls === 'no TLS')
    log.warn('the database is asked for no TLS: add sslmode=verify-full to DATABASE_URL');
  if (databaseTls === 'unchecked TLS')
    log.warn('the certificate of the database is not checked: set sslmode=verify-full in DATABASE_URL');
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
