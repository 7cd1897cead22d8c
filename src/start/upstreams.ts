import type { TlsMode } from '../http/tls-mode.ts';
import { createUpstream } from '../http.ts';
import { HISTORY_MS } from '../nac/history.ts';
import type { Settings } from '../settings.ts';

const MEGABYTE = 1024 * 1024;

export type Upstreams = ReturnType<typeof openUpstreams>;

/** Opens one HTTP client for each system that the bot calls, with its trust, time-out and size limit. */
export function openUpstreams({ nac, webhook, authorize, ticket }: Settings) {
  const open = (tls: TlsMode, timeoutMs: number, maxBytes = MEGABYTE) =>
    createUpstream({ tls, timeoutMs, maxBytes });
  const verify: TlsMode = { kind: 'verify' };
  return {
    nac: open(nac.tls, nac.timeoutMs),
    nacHistory: open(nac.tls, Math.min(nac.timeoutMs, HISTORY_MS)),
    nacCatalogue: open(nac.tls, Math.min(nac.timeoutMs, 10_000), 4 * MEGABYTE),
    webhook: open(webhook.tls, 10_000),
    channel: open(verify, 10_000),
    keys: open(verify, 5000),
    authorize: open(authorize?.tls ?? verify, 5000),
    ticket: open(ticket?.tls ?? verify, 5000),
  };
}

/** The TLS mode of each configured upstream, by the name that people see. */
export function tlsModes({ nac, webhook, authorize, ticket }: Settings): Record<string, TlsMode> {
  return {
    NAC: nac.tls,
    webhook: webhook.tls,
    ...(authorize && { 'authorization service': authorize.tls }),
    ...(ticket && { 'ticket service': ticket.tls }),
  };
}
