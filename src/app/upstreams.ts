import type { Logger } from 'pino';
import type { Prefix } from '../domain/part.ts';
import type { ProxyRoute } from '../http/proxy.ts';
import type { TlsMode, TrustOptions } from '../http/trust.ts';
import { createUpstream } from '../http.ts';
import { OPTIONAL_MS } from '../nac/calls.ts';
import type { Settings } from '../settings.ts';
import { serverTlsOf } from '../store/postgres.ts';

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
