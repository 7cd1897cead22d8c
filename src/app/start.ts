import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Prefix } from '../domain/part.ts';
import type { Clock, Timing } from '../domain/timing.ts';
import type { ProxyRoute, TlsMode, TrustOptions } from '../http/connection.ts';
import { createUpstream } from '../http.ts';
import { OPTIONAL_MS } from '../nac/calls.ts';
import type { Settings } from '../settings.ts';
import { LASTING_FAULTS, lastingFaultOf } from '../store/faults.ts';
import { serverTlsOf } from '../store/postgres.ts';

export type AppOptions = { log: Logger; clock?: Clock; timing?: Timing };

/** The release, as package.json has it. */
export const VERSION = String(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
);

/** The machine's clocks. Nothing else reads them. */
export const systemClock: Clock = { now: Date.now, steady: performance.now.bind(performance) };

type Observers = Pick<ProxyRoute & TrustOptions, 'onProxy' | 'onCertificate'>;
export type Upstreams = ReturnType<typeof openUpstreams>;

/** Opens one HTTP client for each system that the bot calls. @param observe makes the observers of its connections */
export function openUpstreams(
  { nac, webhook, authorize, ticket, endpoints, proxies }: Settings,
  observe: (name: string, prefix?: Prefix) => Observers = () => ({}),
) {
  const open = (name: string, timeoutMs: number, tls: TlsMode = { kind: 'verify' }, prefix?: Prefix) => {
    const { onProxy, onCertificate } = observe(name, prefix);
    return createUpstream({ tls, timeoutMs, proxyRoute: proxies && { ...proxies, onProxy }, onCertificate });
  };
  return {
    nac: open('nac', nac.timeoutMs, nac.tls, 'NAC'),
    nacHistory: open('nac', Math.min(nac.timeoutMs, OPTIONAL_MS), nac.tls),
    endpoints: open('administration node', OPTIONAL_MS, endpoints?.tls, 'ENDPOINTS'),
    webhook: open('webhook', 10_000, webhook.tls, 'WEBHOOK'),
    channel: open('chat', 10_000),
    keys: open('signing keys', 5000),
    authority: open('token authority', 10_000),
    authorize: open('authorization service', 5000, authorize?.tls, 'AUTHORIZE'),
    ticket: open('ticket service', 5000, ticket?.tls, 'TICKET'),
  };
}

/** The TLS mode of each configured upstream, by the name that people see. */
export function tlsModes({ nac, webhook, authorize, ticket, endpoints }: Settings): Record<string, TlsMode> {
  return {
    NAC: nac.tls,
    webhook: webhook.tls,
    ...(authorize && { 'authorization service': authorize.tls }),
    ...(ticket && { 'ticket service': ticket.tls }),
    ...(endpoints && { 'administration node': endpoints.tls }),
  };
}

/** Warns of settings that are accepted and may be wrong, and of each upstream, and a database, whose certificate is not checked. */
export function warnOfSettings(settings: Settings, log: Logger): void {
  for (const { name, message } of settings.doubts) log.warn({ setting: name }, `${name} ${message}`);
  const lost = 'the changed file is empty, cannot be read, or holds no valid value: the old value goes on';
  settings.watchFiles((name, change) => {
    const file = `${name}_FILE`;
    if (change === 'read') log.info({ file }, 'the changed file was read: its value counts from now on');
    else log.warn({ file }, lost);
  });
  const unchecked = Object.entries(tlsModes(settings)).filter(([, { kind }]) => kind === 'insecure');
  for (const [upstream] of unchecked)
    log.warn({ upstream }, 'TLS is insecure: the certificate of this upstream is not checked');
  const databaseTls = serverTlsOf(settings.database);
  if (databaseTls === 'no TLS' || databaseTls === 'unchecked TLS')
    log.warn(`the database is connected with ${databaseTls}: set sslmode=verify-full in DATABASE_URL`);
}

/** Returns why a correctly configured bot cannot start, in words, with the path that the system names; undefined for a bug. */
export function startFault(error: unknown): string | undefined {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const lasting = lastingFaultOf(error);
  const fits = ([pattern]: [string, string]) => new RegExp(pattern).test(`${syscall} ${code}`);
  const ofSystem = Object.entries(SYSTEM_WORDS).find(fits)?.[1];
  const words = lasting === undefined ? ofSystem : LASTING_FAULTS[lasting];
  return words !== undefined && path !== undefined ? `${words} (${path})` : words;
}

/** By a pattern of the failed call and its code; the first that fits counts. */
const SYSTEM_WORDS = {
  ' EADDRINUSE$': 'PORT is in use by another program, or equals OPS_PORT: set another port',
  '^listen EACCES$': 'this user may not listen on PORT: set a port above 1023, or give the right to use it',
  ' E(?:ACCES|ROFS|PERM)$': 'this user may not write to DATA_DIR: change the setting or the rights',
  ' (?:EADDRNOTAVAIL|EAI_AGAIN|ENOTFOUND)$':
    'HOST is no address of this machine: set one, or 0.0.0.0 for all',
  ' E(?:EXIST|ISDIR|LOOP|NAMETOOLONG|NOENT|NOTDIR)$':
    'the folder in DATA_DIR cannot be made or used: set another folder',
  ' ENOSPC$': 'the disk of DATA_DIR is full: make room',
};
