import { once } from 'node:events';
import { pino } from 'pino';
import type { Dialog } from '../dialogs/dialog.ts';
import { createHelp } from '../dialogs/help.ts';
import { createLookup } from '../dialogs/lookup.ts';
import { createBot } from './bot.ts';
import { UpstreamConnectorFactory } from './connector.ts';
import { basicAuthorization } from './credentials/basic.ts';
import { createHealth } from './health.ts';
import { createUpstream } from './http.ts';
import { guardLookups, type Lookup } from './nac/guard.ts';
import { createSessionCall } from './nac/session-call.ts';
import { createServer } from './server.ts';
import { describeProblems, readSettings, type Settings } from './settings.ts';
import { ADAPTERS } from './webhook/address.ts';
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
  const upstreams = {
    nac: createUpstream({ tls: settings.nac.tls, timeoutMs: settings.nac.timeoutMs, maxBytes: MEGABYTE }),
    webhook: createUpstream({ tls: settings.webhook.tls, timeoutMs: 10_000, maxBytes: MEGABYTE }),
    channel: createUpstream({ tls: { kind: 'verify' }, timeoutMs: 10_000, maxBytes: MEGABYTE }),
  };
  warnOfInsecure(settings);

  const call = createSessionCall({
    upstream: upstreams.nac,
    addresses: settings.nac.addresses,
    macForm: settings.nac.macForm,
    authorization: basicAuthorization(settings.nac.username, settings.nac.password),
  });
  const guarded = guardLookups(call, { concurrency: settings.nac.concurrency });
  const send = createSender({
    upstream: upstreams.webhook,
    adapter: ADAPTERS[settings.webhook.form],
    base: settings.webhook.base,
    token: settings.webhook.token,
  });
  const lookUp: Lookup = async (address, person) => {
    const outcome = await guarded(address, person);
    health.note('nac', outcome.kind === 'found' || outcome.kind === 'no session' ? 'ok' : 'failing');
    log.info({ address, person, outcome: outcome.kind }, 'lookup');
    return outcome;
  };
  const post: PostToRoom = async (text) => {
    const outcome = await send(text);
    health.note('webhook', outcome.kind === 'posted' ? 'ok' : 'failing');
    log.info({ outcome: outcome.kind }, 'post');
    return outcome;
  };

  const dialogs: Dialog[] = [createLookup({ lookUp, post }), createHelp(() => dialogs)];
  const bot = createBot({ dialogs, connectors: new UpstreamConnectorFactory(upstreams.channel), log });
  const server = createServer({
    bot,
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

  function warnOfInsecure({ nac, webhook }: Settings): void {
    for (const [name, { tls }] of Object.entries({ NAC_TLS: nac, WEBHOOK_TLS: webhook })) {
      if (tls.kind === 'insecure') log.warn(`${name}=insecure: certificates of this system are not checked`);
    }
  }
}
