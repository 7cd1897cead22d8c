import type { Logger } from 'pino';
import type { DeviceAddress } from '../domain/device-address.ts';
import { groupOf, isAsked, type LookupOutcome, lookupName, postName } from '../domain/outcome.ts';
import type { Outcome, Part, PartFault, Prefix } from '../domain/part.ts';
import { certificateFault, cureFor, NO_SESSIONS } from '../domain/part.ts';
import { type OnCertificate, type ProxyRoute, proxyFaultText } from '../http/connection.ts';
import type { Metrics } from './metrics.ts';

export type Health = ReturnType<typeof createHealth>;

const ALWAYS = ['nac', 'webhook', 'chat', 'database'];

/**
 * The health of the bot's parts. The bot is unready only while it starts and stops. Replicas share one database and one NAC, so
 * an outage would take all of them from the balancer at once.
 * @param now milliseconds since 1970
 */
export function createHealth(now: () => number, log: Logger) {
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  /** Only a part that fails has a cure. */
  const parts = new Map(ALWAYS.map((part): [string, Part] => [part, { part, state: 'not asked yet' }]));
  const find = (part: string) => parts.get(part) ?? { part, state: 'not asked yet' };

  return {
    find,
    /** Notes that a part works, or its fault. The log has one line for each end of a fault, and for each new cure. */
    note(part: string, fault?: PartFault): void {
      if (phase === 'stopping') return; // Calls in flight are cut off at the end.
      const last = find(part);
      const { why, cure, detail, state = fault ? 'failing' : 'ok' } = fault ?? {};
      const at = now();
      const isSame = (last.cure === undefined) === (fault === undefined) && last.since !== undefined;
      const since = isSame ? (last.since ?? at) : at;
      parts.set(part, { part, state, since, at, ...(why && { why }), ...(cure && { cure }) });
      if (isSame && cure === last.cure) return;
      const outcome = why ?? last.why;
      if (fault) log.warn({ part, outcome, ...detail }, `${part} ${state}${why ? ` (${why})` : ''}: ${cure}`);
      else log.info({ part, outcome, ...(last.since && { forMs: at - last.since }) }, `${part} ok`);
    },
    parts: () => [...parts.values()],
    /** Makes the bot ready: the database has been opened, or could not be for a while. */
    started(): void {
      if (phase === 'starting') phase = 'running';
    },
    stopping(): void {
      phase = 'stopping';
    },
    isReady: () => phase === 'running',
  };
}

/** So many refused replies, in so many conversations, without one that was accepted: the chat service refuses them all. */
const MAX_REFUSED = 5;
const MAX_REFUSING = 3;

const CHAT_CURES = {
  refused:
    'the chat service refuses every reply: check that the bot is still installed, its app is not blocked, and MicrosoftAppId is the registration of the app that people use',
  unauthorized:
    "replies are refused (401), so nobody gets an answer: check that MicrosoftAppId and MicrosoftAppType are the registration's",
  failing:
    'replies do not reach the chat service; they are kept for 24 hours: check the way out (HTTPS_PROXY), and the state of the chat service',
};

/** Notes each call to the NAC, and to its administration node. */
export function observeNac({ find, note }: Health, metrics: Metrics, log: Logger) {
  return {
    lookup(asked: DeviceAddress, outcome: LookupOutcome, ms: number): void {
      const [name, group] = [lookupName(outcome), groupOf(outcome)];
      const isFault = group === 'not known' && isAsked(outcome);
      metrics.lookups.observe({ outcome: name }, ms / 1000);
      if (isFault) log.info({ asked, outcome: name, ...detailOf(outcome) }, 'a lookup failed');
      // A person's own account, and a call that was not made, say nothing of the NAC.
      if (!isAsked(outcome)) return;
      if (outcome.whose === 'person' && ['refused', 'forbidden'].includes(outcome.kind)) return;
      if (group === 'found' && find('nac sessions').cure) note('nac sessions');
      note('nac', isFault ? faultOf('NAC', name, outcome) : undefined);
    },
    first: (outcome?: Outcome) => note('first nac', outcome && faultOf('NAC', postName(outcome), outcome)),
    sessions: (count: number) => note('nac sessions', count === 0 ? NO_SESSIONS : undefined),
    endpoint: (kind: 'read' | 'refused' | 'failed') =>
      note('administration node', kind === 'read' ? undefined : faultOf('ENDPOINTS', kind, { kind })),
  };
}

/** Notes each post to the room. */
export const observeRoom =
  ({ note }: Health, metrics: Metrics, log: Logger) =>
  (outcome: Outcome) => {
    const name = postName(outcome);
    metrics.posts.inc({ outcome: name });
    if (outcome.kind !== 'posted') log.info({ outcome: name, ...detailOf(outcome) }, 'not posted');
    note('webhook', outcome.kind === 'posted' ? undefined : faultOf('WEBHOOK', name, outcome));
  };

/** Notes each reply, and each request for a token to send it with. */
export function observeChat({ find, note }: Health, metrics: Metrics) {
  let refused = 0;
  const refusing = new Set<string>();
  return {
    /** @param outcome.cure the action of an operator; undefined: a token was issued */
    token({ kind, cure }: { kind: string; cure?: string | undefined }): void {
      metrics.tokens.inc({ outcome: kind });
      const { state, why } = find('chat');
      if (cure !== undefined) note('chat', { why: 'no token', cure: `nobody gets an answer: ${cure}` });
      else if (why === 'no token' || state === 'not asked yet') note('chat');
    },
    reply(outcome: string, conversation: string): void {
      metrics.replies.inc({ outcome });
      switch (outcome) {
        case 'no token': // Noted as a token.
        case 'throttled':
          break;
        case 'gone':
        case 'refused':
          refused++;
          if (refusing.size < MAX_REFUSING) refusing.add(conversation);
          if (refused >= MAX_REFUSED && refusing.size >= MAX_REFUSING)
            note('chat', { why: 'refused', cure: CHAT_CURES.refused });
          break;
        case 'sent':
          refused = 0;
          refusing.clear();
          if (find('chat').why !== 'no token') note('chat'); // The last token may serve for a while.
          break;
        default:
          note('chat', { why: outcome, cure: CHAT_CURES[outcome === 'unauthorized' ? outcome : 'failing'] });
      }
    },
  };
}

const faultOf = (prefix: Prefix, why: string, outcome: Outcome): PartFault => ({
  why,
  cure: cureFor(prefix, outcome),
  detail: detailOf(outcome),
});

function detailOf({ status, fault }: Partial<Outcome>) {
  if (fault?.kind === 'unreachable') return { code: fault.proxy?.code ?? fault.code };
  if (fault?.kind === 'untrusted') return { reason: fault.reason };
  return status === undefined ? {} : { status };
}

/** Makes the observers of an upstream's connections: the proxy on its way, and the certificate that ends first, of all its hosts. */
export function observeConnections(note: Health['note'], now: () => number) {
  return (upstream: string, prefix?: Prefix) => {
    const ends = new Map<string, number>();
    const onCertificate: OnCertificate = (host, end) => {
      if (end) ends.set(host, end.getTime());
      if (ends.size === 0) return;
      const fault = certificateFault(Math.min(...ends.values()), now(), `${prefix}_TLS`);
      note(`${upstream} certificate`, fault);
    };
    const onProxy: ProxyRoute['onProxy'] = (fault) =>
      note(`proxy to ${upstream}`, fault && { why: fault.code, cure: proxyFaultText(fault) });
    return { onProxy, onCertificate: prefix && onCertificate };
  };
}
