import type { Logger } from 'pino';
import { admit, type CallHealth, CLOSED, end } from './domain/breaker.ts';
import type { DeviceAddress } from './domain/device-address.ts';
import { type GuardedAccount, judgementOf, type LockoutGuard, type OwnAccount } from './domain/lockout.ts';
import type { MacAddress } from './domain/mac-address.ts';
import { isAsked, type LookupOutcome, type Paused, type SessionOutcome } from './domain/outcome.ts';
import type { Account } from './domain/secret.ts';
import type { HttpOutcome, Upstream } from './http.ts';
import { BUSY, Calls } from './nac/calls.ts';
import * as paths from './nac/paths.ts';
import { readActiveCount, readAttempts, readSessionOutcome, tokensLike } from './nac/reading/session.ts';

export type Nac = ReturnType<typeof openNac>;

type NacParts = {
  settings: {
    /** One or two base addresses, the preferred first. */
    addresses: readonly URL[];
    macForm: paths.MacForm;
    concurrency: number;
    ignoredTokens: readonly string[];
    history: boolean;
  };
  upstreams: { nac: Upstream; nacHistory: Upstream };
  vault: { ownAccount(person: string): Promise<OwnAccount> };
  lockout: LockoutGuard;
  steady: () => number;
  observe: {
    /** Called with the outcome of each lookup, and how long it took (milliseconds), waiting included. */
    lookup(asked: DeviceAddress, outcome: LookupOutcome, ms: number): void;
    /** Called with the fault of the first of two addresses; undefined: it answers. */
    first(fault?: SessionOutcome): void;
    /** Called with the number of all sessions that an address of the NAC has, as the service account sees them. */
    sessions(count: number): void;
  };
  log: Logger;
};

/** The NAC's sessions (`Session/MACAddress` and its like), and the calls that explain them. */
export function openNac(parts: NacParts) {
  const { settings, vault, lockout, steady, observe } = parts;
  const { addresses, concurrency, macForm } = settings;
  const calls = new Calls(concurrency);
  const nodes = addresses.map((base) => ({ base, breaker: CLOSED }));
  const callFor = createSessionCalls(nodes, parts);
  const askHistory = createOptionalCall(readAttempts, calls, parts);
  const history = async (address: MacAddress, person: string, node: string | undefined) =>
    askHistory(node, paths.attemptsPath(address, macForm), person, await vault.ownAccount(person));

  /** With the person's own account, if there is one. @param isWatched it waits behind questions, and counts for no asker */
  async function lookUp(address: DeviceAddress, person: string, isWatched = false): Promise<LookupOutcome> {
    const begunAt = steady();
    const { whose, guard = lockout } = await vault.ownAccount(person);
    const call = callFor(address, isWatched ? undefined : person);
    const answer = await calls.callOrShare({ subject: address, person, guard, call }, isWatched);
    const outcome = whose && isAsked(answer) ? { ...answer, whose } : answer;
    observe.lookup(address, outcome, steady() - begunAt);
    return outcome;
  }

  return {
    lookUp,
    /** Looks a watched device up for no asker, if a slot is free and the service account's password was tried; else `busy`. */
    async watch(address: DeviceAddress, watcher: string) {
      const isFull = calls.slots.counts().running >= concurrency;
      return isFull || lockout.isUntried() ? BUSY : lookUp(address, watcher, true);
    },
    hasNoSessions: createActiveCount(calls, parts),
    /** Tries an account once, with a question about no device. */
    async tryAccount(account: Account, person: string) {
      const guard: GuardedAccount = { account, run: (call) => call(account) };
      const call = callFor(paths.NOBODY, person);
      const outcome = await calls.callOrShare({ subject: paths.NOBODY, person, guard, call });
      return outcome.kind === 'forbidden' ? outcome.kind : judgementOf(outcome);
    },
    /** A device's last attempts within 24 hours; undefined if they did not come in time. Itself undefined: turned off. */
    history: settings.history ? history : undefined,
    /** Until when the service account rests, by the steady clock. */
    restsUntil: () => lockout.until(),
    /** Whether every address is paused. */
    isPaused: () => nodes.every(({ breaker }) => steady() < (breaker.pauses.get(undefined)?.until ?? 0)),
    counts: () => calls.slots.counts(),
  };
}

const GATEWAY_FAULTS = new Set([502, 503, 504]);
const NO_ADDRESS = { kind: 'no answer', fault: { kind: 'unreachable', code: 'NO_ADDRESS' } } as const;

/**
 * The calls about one device: GET {@link paths.sessionPath} with HTTP Basic. They ask the second address if the first is down (no
 * connection, no trust, no whole answer in time, or a gateway's 502, 503 or 504) or paused by its breaker. If both are, they
 * return the first fault that is not a pause, else the first pause. An asker is paused alone if the NAC answers everybody
 * else; undefined: nobody is.
 */
function createSessionCalls(
  nodes: Array<{ base: URL; breaker: typeof CLOSED }>,
  { settings, upstreams, steady, observe }: NacParts,
) {
  const { ignoredTokens, macForm } = settings;
  const isIgnored = ignoredTokens.length > 0 ? tokensLike(ignoredTokens) : undefined;

  return (device: DeviceAddress, asker: string | undefined) =>
    async (account: Account): Promise<SessionOutcome | Paused> => {
      const path = paths.sessionPath(device, macForm);
      let fault: SessionOutcome | undefined;
      let pause: Paused | undefined;
      for (const node of nodes) {
        const [breaker, admission] = admit(node.breaker, asker, steady());
        node.breaker = breaker;
        if (admission.kind === 'paused') {
          pause ??= admission;
          continue;
        }
        let health: CallHealth = 'failed';
        try {
          const wire = await upstreams.nac.call(paths.getRequest(node.base, path, account));
          const session = readSessionOutcome(wire, isIgnored);
          health = healthOf(wire, session);
          const isDown =
            health !== 'answered' && (wire.kind === 'no answer' || GATEWAY_FAULTS.has(wire.status));
          if (nodes.length > 1 && node === nodes[0]) observe.first(isDown ? session : undefined);
          const isRead = session.kind === 'found' || session.kind === 'no session';
          if (!isDown) return isRead ? { ...session, node: node.base.href } : session;
          fault ??= session;
        } finally {
          node.breaker = end(node.breaker, admission, { asker, device, health }, steady());
        }
      }
      return fault ?? pause ?? NO_ADDRESS;
    };
}

/** No call gets past a refused certificate. One answer that is too large says nothing of the NAC. */
function healthOf(wire: HttpOutcome, session: SessionOutcome): CallHealth {
  if (wire.kind === 'answered')
    return session.kind === 'fault' && session.status >= 500 ? 'failed' : 'answered';
  const { kind } = wire.fault;
  if (kind === 'unreachable' || kind === 'untrusted') return 'unreachable';
  return kind === 'cut off' || kind === 'timed out' ? 'failed' : 'answered';
}

/** A call is left alone for an hour after so many failures in a row: some NACs do not know it. */
const MAX_FAILURES = 3;
const OFF_FOR_MS = 3_600_000;

/** A call that an answer can do without: shares accounts and slots with lookups, and has no breaker. */
function createOptionalCall<T>(
  read: (text: string) => T | undefined,
  calls: Calls,
  { settings, upstreams, lockout, steady, log }: NacParts,
) {
  let [failures, offUntil] = [0, Number.NEGATIVE_INFINITY];

  function note(isRead: boolean, path: paths.NacPath): void {
    if (steady() < offUntil) return; // The call began before the hour.
    failures = isRead ? 0 : failures + 1;
    if (failures < MAX_FAILURES) return;
    [failures, offUntil] = [0, steady() + OFF_FOR_MS];
    log.info({ path }, 'the NAC does not answer this call; it is left alone for an hour');
  }

  return async (
    node: string | undefined,
    path: paths.NacPath,
    person: string,
    { guard = lockout }: OwnAccount,
  ): Promise<T | undefined> => {
    const base = settings.addresses.find(({ href }) => href === node);
    if (base === undefined || steady() < offUntil) return undefined;
    const call = async (account: Account) => {
      const wire = await upstreams.nacHistory.call(paths.getRequest(base, path, account));
      const { status, text } = wire.kind === 'answered' ? wire : { status: 0, text: '' };
      const value = status === 200 ? read(text) : undefined;
      // A person's refused account says nothing of the NAC.
      if (status !== 401 || guard === lockout) note(value !== undefined, path);
      if (value !== undefined) return { kind: 'read', value } as const;
      return { kind: status === 401 ? 'refused' : 'failed' } as const;
    };
    return calls.optional<T>({ subject: `${node} ${path}`, person, guard, call });
  };
}

/** A number of a minute ago is as good. */
const ASKED_FOR_MS = 60_000;

/**
 * Returns whether an address of the NAC has no active session at all; undefined: it did not say. One call a minute to each
 * address, under the account of the answered call. Another account may see other sessions, so it gets no answer in that minute.
 */
function createActiveCount(calls: Calls, parts: NacParts) {
  const { vault, steady, observe } = parts;
  const ask = createOptionalCall(readActiveCount, calls, parts);
  const asked = new Map<string, { at: number; owner: string; count: Promise<number | undefined> }>();
  return async (node: string, person: string): Promise<boolean | undefined> => {
    const own = await vault.ownAccount(person);
    const owner = own.guard ? person : '';
    let known = asked.get(node);
    if (known === undefined || steady() - known.at >= ASKED_FOR_MS) {
      known = { at: steady(), owner, count: ask(node, paths.activeCountPath(), person, own) };
      asked.set(node, known);
    }
    const all = known.owner === owner ? await known.count : undefined;
    if (all !== undefined && owner === '') observe.sessions(all);
    return all === undefined ? undefined : all === 0;
  };
}
