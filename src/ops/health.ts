import type { Logger } from 'pino';
import {
  groupOf,
  type HttpFault,
  type Lookup,
  type LookupOutcome,
  lookupName,
  postName,
} from '../domain/outcome.ts';
import { sayProxyFault, type WayOut } from '../http/proxy.ts';
import type { Metrics } from './metrics.ts';

/** A system as last seen: `at`, and so `since` (milliseconds since 1970). A probe asks none. */
export type SystemState =
  | { kind: 'not asked yet' }
  | { kind: 'ok' | 'failing'; at: number; since: number; why?: string | undefined };

export type Seen = Readonly<Record<'nac' | 'webhook' | 'chat', SystemState>>;

const UNSEEN: SystemState = { kind: 'not asked yet' };

type Health = ReturnType<typeof createHealth>;

/**
 * What the bot knows about itself and its upstreams. It is unready only while it starts and while it stops. All replicas share
 * one database and one NAC: an outage would take every replica from the balancer at once.
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

/** The receivers of outcomes, and the clock that measures how long a lookup takes. */
export type Observers = { health: Health; metrics: Metrics; log: Logger; steady: () => number };

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

/** Logs once when the NAC stops answering, why and what to do, and once when it answers again. */
function createNacTeller({ health, log, steady }: Observers): (outcome: LookupOutcome) => void {
  let failing: { name: string; since: number } | undefined;
  return (outcome) => {
    if (health.isStopping()) return; // Calls in flight are cut off at the end.
    const name = lookupName(outcome);
    const group = groupOf(outcome);
    if (group === 'not asked' || isOwnRefusal(outcome)) return; // They say nothing of the NAC.
    const isWell = group === 'found' || group === 'none';
    health.note('nac', isWell ? 'ok' : 'failing', name);
    if (isWell && failing) {
      const forMs = Math.round(steady() - failing.since);
      log.info({ outcome: failing.name, forMs }, 'the NAC answers again');
      failing = undefined;
    } else if (group === 'failed' && failing?.name !== name) {
      failing = { name, since: failing?.since ?? steady() };
      const words = `the NAC does not answer lookups: ${NAC_CURES[name]}`;
      log.warn({ outcome: name, ...detailOf(outcome) }, words);
    }
  };
}

/** A person's own account says nothing of the bot's. */
const isOwnRefusal = (outcome: LookupOutcome) => 'whose' in outcome && outcome.whose === 'person';

/** The status, the code or the reason behind an outcome's name. */
function detailOf({ status, fault }: Outcome & { status?: number; fault?: HttpFault }) {
  if (fault?.kind === 'unreachable') return { code: fault.proxy?.code ?? fault.code };
  if (fault?.kind === 'untrusted') return { reason: fault.reason };
  return status === undefined ? {} : { status };
}

/** Failures that last until somebody changes an account or a certificate. */
const FOR_AN_OPERATOR: ReadonlySet<string> = new Set(['refused', 'forbidden', 'untrusted']);

/** Counts each lookup's outcome, and notes the NAC's health. A lookup that fails has its line while it happens. */
export function observeLookups(lookUp: Lookup, observers: Observers): Lookup {
  const { metrics, steady, log } = observers;
  const tellNac = createNacTeller(observers);
  return async (...question) => {
    const begun = steady();
    const outcome = await lookUp(...question);
    tellNac(outcome);
    const name = lookupName(outcome);
    const level = FOR_AN_OPERATOR.has(name) ? 'warn' : 'info';
    if (groupOf(outcome) === 'failed')
      log[level]({ asked: question[0], outcome: name, ...detailOf(outcome) }, 'a lookup failed');
    metrics.lookup(name, (steady() - begun) / 1000);
    return outcome;
  };
}

/** Counts each post's outcome, logs failures, and notes the webhook's health. */
export function observePosts<Told extends Outcome>(
  post: (text: string) => Promise<Told>,
  { health, metrics, log }: Observers,
): (text: string) => Promise<Told> {
  return async (text) => {
    const outcome = await post(text);
    health.note('webhook', outcome.kind === 'posted' ? 'ok' : 'failing', postName(outcome));
    metrics.post(postName(outcome));
    if ('final' in outcome && outcome.final === true) health.noteRefusedPost();
    if (outcome.kind !== 'posted')
      log.warn({ outcome: postName(outcome), ...detailOf(outcome) }, 'not posted');
    return outcome;
  };
}

/** Counts each request for a token, notes the chat's health, and logs when tokens stop and when they come again. */
export function observeTokens<Fault extends Outcome>(
  sayFault: (outcome: Fault) => string,
  { health, metrics, log }: Observers,
): (outcome: { kind: 'issued' } | Fault) => void {
  let before: string | undefined;
  const isIssued = (outcome: Outcome): outcome is { kind: 'issued' } => outcome.kind === 'issued';
  return (outcome) => {
    const { kind } = outcome;
    const isNew = kind !== before;
    before = kind;
    metrics.token(kind);
    if (isNew || !isIssued(outcome)) health.note('chat', isIssued(outcome) ? 'ok' : 'failing');
    if (!isNew) return;
    if (isIssued(outcome)) log.info('the authority issues tokens for replies');
    else log.warn({ outcome: kind }, `the bot gets no token, so nobody gets an answer: ${sayFault(outcome)}`);
  };
}

/** With these outcomes the chat service works; it had a reason not to take one message. */
const WORKS: ReadonlySet<string> = new Set(['sent', 'gone', 'throttled', 'refused']);

/** Counts what becomes of replies, signs of typing aside, notes the chat's health, and logs when replies stop and come again. */
export function observeReplies({ health, metrics, log }: Observers) {
  let isFailing = false;
  return (outcome: string, isTyping: boolean): void => {
    if (!isTyping) metrics.reply(outcome);
    if (outcome === 'no token' || health.isStopping()) return; // Told where tokens are asked for, or cut off at the end.
    const works = WORKS.has(outcome);
    health.note('chat', works ? 'ok' : 'failing', outcome);
    if (works === !isFailing) return;
    isFailing = !works;
    if (works) log.info('replies reach the chat service again');
    else log.warn({ outcome }, WORDS[outcome === 'unauthorized' ? 'unauthorized' : 'failing']);
  };
}

const WORDS = {
  unauthorized:
    "replies are refused (401), so nobody gets an answer: check that MicrosoftAppId and MicrosoftAppType are the registration's",
  failing:
    'replies do not reach the chat service; they are kept for 24 hours: check the way out (HTTPS_PROXY), and the state of the chat service',
};

/** Logs when the administration node no longer tells devices' own records, and when it does again. */
export function observeEndpoints(log: Logger): (end: 'read' | 'refused' | 'failed') => void {
  let before = 'read';
  return (end) => {
    if (end === before) return;
    before = end;
    if (end === 'read') return log.info("the administration node tells devices' own records");
    const words = `the administration node does not tell devices' own records: ${ENDPOINT_CURES[end]}`;
    log.warn({ outcome: end }, words);
  };
}

export const ENDPOINT_CURES = {
  refused: 'check ENDPOINTS_USERNAME and ENDPOINTS_PASSWORD, and that the account has the role ERS Operator',
  failed: 'check ENDPOINTS_URL, and that its interface (Open API or ERS) is on',
};

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
