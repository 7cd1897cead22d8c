import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createLookup } from '../dialogs/commands/lookup.ts';
import { createDialogs } from '../dialogs/commands.ts';
import { type Message, type Place, placeSchema } from '../dialogs/dialog.ts';
import { acceptAlert, alertJobSchema, workOnAlert } from '../dialogs/jobs/alert-job.ts';
import { lookupJobSchema } from '../dialogs/jobs/lookup-job.ts';
import { createMessageExtension } from '../dialogs/message-extension.ts';
import { createAppTokens } from './authentication/app-tokens.ts';
import { createAlertLimit, createLimits, limitsFor } from './bot/limits.ts';
import { createPermissions } from './bot/permissions.ts';
import { createConnector } from './bot/replies/connector.ts';
import { replyJobSchema } from './bot/replies/replies.ts';
import { createBot, TURN_MS } from './bot.ts';
import { endWithTheLog } from './crash.ts';
import { createFormProof } from './credentials/form-proof.ts';
import { createLookups } from './nac/lookup.ts';
import { createSessionCall } from './nac/session-call.ts';
import { openOps } from './open-ops.ts';
import { openTokenCheck } from './open-token-check.ts';
import { createHealth } from './ops/health.ts';
import { createLog } from './ops/log.ts';
import type { Measured } from './ops/metrics.ts';
import { createRecentLookups } from './recent-lookups.ts';
import { createServer } from './server.ts';
import { describeProblems, readSettings, type Settings } from './settings.ts';
import { startFault } from './start/fault.ts';
import { observeLookups, observePosts } from './start/observe.ts';
import { openUpstreams, tlsModes } from './start/upstreams.ts';
import { openVault } from './start/vault.ts';
import { createAutoreplies } from './store/autoreplies.ts';
import { createQueue } from './store/queues.ts';
import { createStore } from './store/store.ts';
import { createThreads } from './store/threads.ts';
import { createWelcomes } from './store/welcomes.ts';
import { Secret, secretsIn } from './text/secret.ts';
import { createDelivery, postJobSchema, retryPost } from './webhook/delivery.ts';
import { createSender } from './webhook/sender.ts';

/** Opening the database takes a second of CPU, a tenth of it in this thread; the first messages should not feel it. */
const OPEN_DATABASE_AFTER_MS = 500;

/** Unlike Date's, this clock is never set back. */
const monotonic = () => performance.now();

/** What turns and jobs under way may take when the bot stops; what remains of them is in the database. */
const LAST_TURNS_MS = 10_000;
const LAST_JOBS_MS = 5000;

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
    const reason = startFault(error);
    if (reason === undefined) throw error;
    process.stderr.write(`The bot cannot start: ${reason}.\n`);
    process.exit(2);
  }
}

async function start(settings: Settings): Promise<void> {
  const log = createLog({
    level: settings.logLevel,
    secrets: [...secretsIn(settings), new Secret(() => settings.webhook.address().token.reveal())],
  });
  endWithTheLog(log);
  const { identity } = settings;
  const health = createHealth();
  const upstreams = openUpstreams(settings);
  for (const [name, { kind }] of Object.entries(tlsModes(settings))) {
    if (kind === 'insecure')
      log.warn({ upstream: name }, 'TLS is insecure: the certificate of this system is not checked');
  }

  const onError = (error: unknown) => log.error({ err: error }, 'a background task failed');
  const store = await createStore(settings.database, {
    onError,
    onOpen: async (boss) => {
      for (const queue of [lookups, posts, replies, alerts]) await queue.start(boss);
      log.info('database open');
    },
  });

  const vault = openVault(settings, upstreams, store, log);
  const { addresses, macForm, concurrency } = settings.nac;
  const { call, pausedUntil } = createSessionCall({
    upstream: upstreams.nac,
    addresses,
    macForm,
    now: Date.now,
  });
  const nac = createLookups({
    call,
    vault,
    concurrency,
    now: Date.now,
  });
  const send = createSender({ upstream: upstreams.webhook, address: settings.webhook.address });
  const measured: Measured = {
    nac: nac.counts,
    isPaused: () => pausedUntil() !== undefined,
    isResting: async () => (await nac.restsUntil()) !== undefined,
    jobs: async () => ({
      lookup: await lookups.count(),
      post: await posts.count(),
      reply: await replies.count(),
      alert: await alerts.count(),
    }),
  };
  const ops = settings.ops && (await openOps(settings.ops, measured, log));
  const observers = { health, metrics: ops?.metrics, log };
  const post = observePosts(send, observers);

  const posts = createQueue(store, {
    name: 'post',
    schema: postJobSchema,
    work: (job) => retryPost(job, { post, now: Date.now }),
    onError,
  });
  const replies = createQueue(store, {
    name: 'reply',
    schema: replyJobSchema,
    work: (job) => bot.replies.retry(job),
    onError,
  });
  const lookups = createQueue(store, {
    name: 'lookup',
    schema: lookupJobSchema,
    work: (job, key) => lookup.resume(job, key),
    onError,
  });

  const alerts = createQueue(store, {
    name: 'alert',
    schema: alertJobSchema,
    work: (job, key) => workOnAlert(job, key, { lookUp, deliver, threads, sayLater, now: Date.now }),
    onError,
  });
  const threads = createThreads<Place>(store, (data) => placeSchema.safeParse(data).data);
  const autoreplies = createAutoreplies(store);

  const lookUp = observeLookups(nac.lookUp, observers);
  const deliver = createDelivery({ post, queue: posts, now: Date.now, onError });
  const sayLater = (place: Place, message: Message) => bot.replies.sayLater(place, message);
  const recent = createRecentLookups();
  const limits = createLimits(limitsFor(concurrency), monotonic);
  const signIn = settings.personal.signIn;
  const proof =
    signIn && settings.personal.key ? createFormProof(settings.personal.key, Date.now) : undefined;
  const lookup = createLookup({
    lookUp,
    deliver,
    jobs: lookups,
    recent,
    limits,
    sayLater,
    replaceLater: (place, messageId, message) => bot.replies.replaceLater(place, messageId, message),
    turnMs: TURN_MS,
    now: Date.now,
    onError,
  });
  const dialogs = createDialogs({
    lookup: lookup.dialog,
    fields: { lookUp, limits, turnMs: TURN_MS, now: Date.now },
    recent,
    status: {
      vault,
      tls: tlsModes(settings),
      seen: health.seen,
      nacRestsUntil: nac.restsUntil,
      nacPausedUntil: pausedUntil,
      countPosts: posts.count,
      onError,
      signIn,
    },
    connect: { vault, proof, now: Date.now },
    posts: { queue: posts, now: Date.now },
    threads,
    autoreplies,
  });
  const bot = createBot({
    dialogs,
    extension: createMessageExtension({ lookUp, deliver, limits, now: Date.now, onError }),
    connector: createConnector({
      channel: upstreams.channel,
      serviceHosts: settings.serviceHosts,
      tokens: identity && createAppTokens(identity, Date.now),
      log,
    }),
    replyQueue: replies,
    isJob: lookups.has,
    autoreplies,
    welcomes: createWelcomes(store),
    permissions: createPermissions(settings.allowed, Date.now),
    limits,
    admins: settings.allowed.admins,
    log,
  });
  const server = createServer({
    bot,
    alerts: settings.alertsToken && {
      token: settings.alertsToken,
      take: createAlertLimit(monotonic),
      accept: (alert) => acceptAlert(alert, { queue: alerts, threads, now: Date.now }),
      onError,
    },
    ready: async () => health.report(await store.state()),
    serviceHosts: settings.serviceHosts,
    checkToken: identity && (await openTokenCheck(identity, upstreams.keys)),
    onRefused: ops?.metrics.refused,
    loopbackOnly: identity === undefined,
    log,
  });
  server.listen(settings.listen.port, settings.listen.host);
  await once(server, 'listening'); // Of restify's own emitter, where an `error` that nobody hears would be a crash.
  log.info({ host: settings.listen.host, port: server.address().port }, 'listening');
  log.flush(); // Whoever started the bot may wait for this line.

  setTimeout(store.open, OPEN_DATABASE_AFTER_MS).unref();

  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    health.stopping();
    const turnsEnded = new Promise<void>((resolve) => server.close(() => resolve()));
    const closing = setInterval(() => server.server.closeIdleConnections(), 50); // Those that turns leave open.
    await Promise.race([turnsEnded, delay(LAST_TURNS_MS)]);
    clearInterval(closing);
    await store.close(LAST_JOBS_MS);
    ops?.close();
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
}
