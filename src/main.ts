import { once } from 'node:events';
import { type Logger, pino } from 'pino';
import { createConnect } from '../dialogs/connect.ts';
import type { Dialog } from '../dialogs/dialog.ts';
import { createDisconnect } from '../dialogs/disconnect.ts';
import { createHelp } from '../dialogs/help.ts';
import { createLookup } from '../dialogs/lookup.ts';
import { createStatus } from '../dialogs/status.ts';
import { createBot } from './bot.ts';
import { UpstreamConnectorFactory } from './connector.ts';
import { createExchanges } from './credentials/exchanges.ts';
import { createFormProof } from './credentials/form-proof.ts';
import { createPeople } from './credentials/people.ts';
import { createSeal } from './credentials/seal.ts';
import { createMemoryStore } from './credentials/sealed-store.ts';
import { createVault, type Vault } from './credentials/vault.ts';
import { createHealth, type Health } from './health.ts';
import { createUpstream } from './http.ts';
import { createLookups, type Lookup } from './nac/lookup.ts';
import { createSessionCall } from './nac/session-call.ts';
import { createServer } from './server.ts';
import { describeProblems, readSettings, type Settings } from './settings.ts';
import type { TlsMode } from './tls-mode.ts';
import { createSender, type PostToRoom } from './webhook/sender.ts';

const MEGABYTE = 1024 * 1024;

await main();

async function main(): Promise<void> {
  const read = readSettings(process.env);
  const problems = 'problems' in read ? read.problems : notYet(read.settings);
  if ('problems' in read || problems.length > 0) {
    process.stderr.write(describeProblems(problems));
    process.exitCode = 2;
    return;
  }
  await start(read.settings);
}

/** What the settings may ask for and this version does not do. */
function notYet({ identity }: Settings) {
  return identity === undefined
    ? []
    : [
        {
          name: 'MicrosoftAppId',
          message:
            'is set, but this version cannot check the tokens of the chat service yet: run it without, on loopback, with ALLOW_UNAUTHENTICATED=1',
        },
      ];
}

async function start(settings: Settings): Promise<void> {
  const log = pino({ level: settings.logLevel });
  const health = createHealth();
  const upstreams = openUpstreams(settings);
  for (const [name, { kind }] of Object.entries(tlsModes(settings))) {
    if (kind === 'insecure')
      log.warn({ upstream: name }, 'TLS is insecure: the certificate of this system is not checked');
  }

  const vault = openVault(settings, upstreams, log);
  const { lookUp, restsUntil } = createLookups({
    call: createSessionCall({
      upstream: upstreams.nac,
      addresses: settings.nac.addresses,
      macForm: settings.nac.macForm,
    }),
    vault,
    concurrency: settings.nac.concurrency,
    now: Date.now,
  });
  const post = createSender({ upstream: upstreams.webhook, address: settings.webhook.address });

  const signIn = settings.personal.signIn;
  const proof =
    signIn && settings.personal.key ? createFormProof(settings.personal.key, Date.now) : undefined;
  const dialogs: Dialog[] = [
    createLookup({ lookUp: observeLookups(lookUp, health, log), post: observePosts(post, health, log) }),
    createStatus({
      vault,
      tls: tlsModes(settings),
      seen: () => health.report().parts,
      nacRestsUntil: restsUntil,
      signIn,
    }),
    createConnect({ vault, proof, now: Date.now }),
    createDisconnect({ vault }),
    createHelp(() => dialogs),
  ];
  const server = createServer({
    bot: createBot({ dialogs, connectors: new UpstreamConnectorFactory(upstreams.channel), log }),
    health,
    serviceHosts: settings.serviceHosts,
    loopbackOnly: settings.identity === undefined,
    log,
  });
  server.listen(settings.listen.port, settings.listen.host);
  await once(server.server, 'listening');
  log.info({ host: settings.listen.host, port: server.address().port }, 'listening');

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      log.info({ signal }, 'stopping');
      health.stopping();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
    });
  }
}

type Upstreams = ReturnType<typeof openUpstreams>;

function openUpstreams({ nac, webhook, authorize, ticket }: Settings) {
  const open = (tls: TlsMode, timeoutMs: number) => createUpstream({ tls, timeoutMs, maxBytes: MEGABYTE });
  const verify: TlsMode = { kind: 'verify' };
  return {
    nac: open(nac.tls, nac.timeoutMs),
    webhook: open(webhook.tls, 10_000),
    channel: open(verify, 10_000),
    authorize: open(authorize?.tls ?? verify, 5000),
    ticket: open(ticket?.tls ?? verify, 5000),
  };
}

/** Of each configured upstream, by the name that people know it by. */
function tlsModes({ nac, webhook, authorize, ticket }: Settings): Record<string, TlsMode> {
  return {
    NAC: nac.tls,
    webhook: webhook.tls,
    ...(authorize && { 'authorization service': authorize.tls }),
    ...(ticket && { 'ticket service': ticket.tls }),
  };
}

function openVault({ nac, authorize, ticket, personal }: Settings, upstreams: Upstreams, log: Logger): Vault {
  const now = Date.now;
  const people =
    personal.signIn && personal.key
      ? createPeople({
          seal: createSeal(personal.key),
          store: createMemoryStore(now),
          now,
          warn: (message) => log.warn(message),
        })
      : undefined;
  return createVault({
    service: {
      basic: { username: nac.username, password: nac.password },
      ...(authorize && { 'API key': authorize }),
      ...(ticket && { ticket }),
    },
    exchanges: createExchanges({ authorize, ticket }, upstreams, now),
    people,
    personalTtlMs: personal.ttlHours * 3_600_000,
    now,
  });
}

function observeLookups(lookUp: Lookup, health: Health, log: Logger): Lookup {
  return async (address, person) => {
    const outcome = await lookUp(address, person);
    health.note('nac', outcome.kind === 'found' || outcome.kind === 'no session' ? 'ok' : 'failing');
    log.info({ address, person, outcome: outcome.kind }, 'lookup');
    return outcome;
  };
}

function observePosts(post: PostToRoom, health: Health, log: Logger): PostToRoom {
  return async (text) => {
    const outcome = await post(text);
    health.note('webhook', outcome.kind === 'posted' ? 'ok' : 'failing');
    log.info({ outcome: outcome.kind }, 'post');
    return outcome;
  };
}
