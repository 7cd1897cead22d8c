import type { Logger } from 'pino';
import type { DeviceAddress } from '../domain/device-address.ts';
import { groupOf, type HttpFault, type LookupOutcome, lookupName, postName } from '../domain/outcome.ts';
import { sayProxyFault, type WayOut } from '../http/proxy.ts';
import type { Metrics } from './metrics.ts';

/** A system as last seen: `at`, and so `since` (milliseconds since 1970). A probe asks none. */
export type SystemState =
  | { kind: 'not asked yet' }
  | { kind: 'ok' | 'failing'; at: number; since: number; why?: string | undefined };

export type Seen = Readonly<Record<'nac' | 'webhook' | 'chat', SystemState>>;

const UNSEEN: SystemState = { kind: 'not asked yet' };

export type Health = ReturnType<typeof createHealth>;

/**
 * The state of the bot and of its upstreams. The bot is unready only while it starts and while it stops: replicas share one
 * database and one NAC, so an outage would take every replica from the balancer at once.
 * @param now milliseconds since 1970
 */
export function createHealth(now: () => number) {
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  let refusedPosts = 0;
  let seen: Seen = { nac: UNSEEN, webhook: UNSEEN, chat: UNSEEN };
  return {
    /** @param why the outcome's name */
    note(part: keyof Seen, kind: 'ok' | 'failing', why?: string): void {
      const [at, last] = [now(), seen[part]];
      seen = { ...seen, [part]: { kind, at, since: last.kind === kind ? last.since : at, why } };
    },
    seen: () => seen,
    noteRefusedPost: () => void refusedPosts++,
    refusedPosts: () => refusedPosts,
    /** Which systems have failed since they last answered. */
    failing: () =>
      Object.fromEntries(Object.entries(seen).map(([name, { kind }]) => [name, kind === 'failing'])),
    nacDownSince: () => (seen.nac.kind === 'failing' ? seen.nac.since : undefined),
    /** Makes the bot ready: the database has been opened, or could not be for a while. */
    started(): void {
      if (phase === 'starting') phase = 'running';
    },
    stopping(): void {
      phase = 'stopping';
    },
    isStopping: () => phase === 'stopping',
    /** @param database `ok`, or what is wrong with it. @param isNacResting whether the service account rests, by any process */
    report: (database: string, isNacResting: boolean) => ({
      ready: phase === 'running',
      parts: {
        database,
        nac: isNacResting ? 'failing' : seen.nac.kind,
        webhook: seen.webhook.kind,
        chat: seen.chat.kind,
      },
    }),
  };
}

type Outcome = { kind: string };

/** What an operator can do about a NAC that does not answer lookups, by the outcome's name. */
const NAC_CURES: Readonly<Record<string, string>> = {
  unreachable: 'check NAC_URL, the proxy, the firewall, and whether the monitoring node runs',
  'timed out': 'the monitoring node is overloaded, or a firewall drops the calls',
  untrusted: 'check NAC_TLS against the certificate of the NAC',
  refused: 'check NAC_USERNAME and NAC_PASSWORD, and that the account has a monitoring role (MnT Admin)',
  forbidden: 'give the account a monitoring role (MnT Admin)',
  unusable: 'check whether NAC_URL names the monitoring node itself',
  fault: 'ask those who run the NAC',
};

/** Failures that last until somebody changes an account or a certificate. */
const FOR_AN_OPERATOR: ReadonlySet<string> = new Set(['refused', 'forbidden', 'untrusted']);

/** With these outcomes the chat service works; it had a reason not to take one message. */
const CHAT_WORKS: ReadonlySet<string> = new Set(['sent', 'gone', 'throttled', 'refused']);

const WORDS = {
  unauthorized:
    "replies are refused (401), so nobody gets an answer: check that MicrosoftAppId and MicrosoftAppType are the registration's",
  failing:
    'replies do not reach the chat service; they are kept for 24 hours: check the way out (HTTPS_PROXY), and the state of the chat service',
};

export const ENDPOINT_CURES = {
  refused: 'check ENDPOINTS_USERNAME and ENDPOINTS_PASSWORD, and that the account has the role ERS Operator',
  failed: 'check ENDPOINTS_URL, and that its interface (Open API or ERS) is on',
};

export type Observer = ReturnType<typeof createObserver>;

/** Notes what became of each call: in the metrics, in the health, and in the log when a system fails or works again. */
export function createObserver(health: Health, metrics: Metrics, log: Logger, steady: () => number) {
  let nac: { name: string; since: number } | undefined;
  let token: string | undefined;
  let isChatFailing = false;

  /** Logs once when the NAC stops answering, why and what to do, and once when it answers again. */
  function noteNac(outcome: LookupOutcome, name: string): void {
    const group = groupOf(outcome);
    const isOwnRefusal = 'whose' in outcome && outcome.whose === 'person';
    // Calls in flight are cut off at the end; a person's own account, and a call that was not made, say nothing of the NAC.
    if (health.isStopping() || group === 'not asked' || isOwnRefusal) return;
    const isWell = group === 'found' || group === 'none';
    health.note('nac', isWell ? 'ok' : 'failing', name);
    if (isWell && nac) {
      log.info({ outcome: nac.name, forMs: Math.round(steady() - nac.since) }, 'the NAC answers again');
      nac = undefined;
    } else if (group === 'failed' && nac?.name !== name) {
      nac = { name, since: nac?.since ?? steady() };
      const words = `the NAC does not answer lookups: ${NAC_CURES[name]}`;
      log.warn({ outcome: name, ...detailOf(outcome) }, words);
    }
  }

  return {
    /** @param ms how long the lookup took, waiting included */
    lookup(asked: DeviceAddress, outcome: LookupOutcome, ms: number): void {
      const name = lookupName(outcome);
      noteNac(outcome, name);
      const level = FOR_AN_OPERATOR.has(name) ? 'warn' : 'info';
      if (groupOf(outcome) === 'failed')
        log[level]({ asked, outcome: name, ...detailOf(outcome) }, 'a lookup failed');
      metrics.lookup(name, ms / 1000);
    },
    post(outcome: Outcome): void {
      const name = postName(outcome);
      health.note('webhook', outcome.kind === 'posted' ? 'ok' : 'failing', name);
      metrics.post(name);
      if ('final' in outcome && outcome.final === true) health.noteRefusedPost();
      if (outcome.kind !== 'posted') log.warn({ outcome: name, ...detailOf(outcome) }, 'not posted');
    },
    /** @param cure what an operator can do; undefined: a token was issued */
    token({ kind }: Outcome, cure: string | undefined): void {
      const isNew = kind !== token;
      token = kind;
      metrics.token(kind);
      if (isNew || cure !== undefined) health.note('chat', cure === undefined ? 'ok' : 'failing');
      if (!isNew) return;
      if (cure === undefined) log.info('the authority issues tokens for replies');
      else log.warn({ outcome: kind }, `the bot gets no token, so nobody gets an answer: ${cure}`);
    },
    /** Counts replies, but no signs of typing. @param outcome as a metric's label */
    reply(outcome: string, isTyping: boolean): void {
      if (!isTyping) metrics.reply(outcome);
      if (outcome === 'no token' || health.isStopping()) return; // Noted as a token, or cut off at the end.
      const works = CHAT_WORKS.has(outcome);
      health.note('chat', works ? 'ok' : 'failing', outcome);
      if (works === !isChatFailing) return;
      isChatFailing = !works;
      if (works) log.info('replies reach the chat service again');
      else log.warn({ outcome }, WORDS[outcome === 'unauthorized' ? 'unauthorized' : 'failing']);
    },
    endpoint: observeEndpoint(log),
  };
}

/** Logs when the administration node no longer returns devices' own records, and when it does again. */
function observeEndpoint(log: Logger): (end: 'read' | 'refused' | 'failed') => void {
  let before = 'read';
  return (end) => {
    if (end === before) return;
    before = end;
    if (end === 'read') log.info("the administration node tells devices' own records");
    else {
      const words = `the administration node does not tell devices' own records: ${ENDPOINT_CURES[end]}`;
      log.warn({ outcome: end }, words);
    }
  };
}

/** The status, the code or the reason behind an outcome's name. */
function detailOf({ status, fault }: Outcome & { status?: number; fault?: HttpFault }) {
  if (fault?.kind === 'unreachable') return { code: fault.proxy?.code ?? fault.code };
  if (fault?.kind === 'untrusted') return { reason: fault.reason };
  return status === undefined ? {} : { status };
}

/** Logs when a proxy lets nothing through to one upstream, why, and when it does again. */
export function observeProxy(upstream: string, log: Logger): WayOut['onProxy'] {
  let before: string | undefined;
  return (fault) => {
    if (fault?.code === before) return;
    before = fault?.code;
    if (fault) log.warn({ upstream, ...fault }, sayProxyFault(fault));
    else log.info({ upstream }, 'the proxy lets calls through again');
  };
}
