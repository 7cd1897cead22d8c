import type { Logger } from 'pino';
import type { Attempt } from '../domain/attempts.ts';
import type { Judgement } from '../domain/lockout.ts';
import type { MacAddress, MacForm } from '../domain/mac-address.ts';
import { settlesWithin } from '../domain/timing.ts';
import type { HttpOutcome, Upstream } from '../http.ts';
import type { AccountVault, Calls, OwnAccount } from './calls.ts';
import { activeCountPath, attemptsPath, getRequest, type NacPath } from './paths.ts';
import { readAttempts } from './reading/session.ts';
import { readXml } from './reading/texts.ts';

/** A device's last attempts within 24 hours, at most ten, newest first; undefined if they did not come in time. */
export type History = (
  address: MacAddress,
  person: string,
  withinMs: number,
) => Promise<readonly Attempt[] | undefined>;

/**
 * Whether an address of the NAC has no active session at all; undefined: it did not say.
 * @param person under whose account the NAC is asked, if the person has one
 */
export type HasNoSessions = (node: string, person: string) => Promise<boolean | undefined>;

type Parts = { upstream: Upstream; vault: AccountVault; calls: Calls; steady: () => number; log: Logger };

/** @param answeredBy returns the address to ask, which answered a session call; undefined: none did */
export function createHistory(macForm: MacForm, answeredBy: () => URL | undefined, parts: Parts): History {
  const ask = createOptionalCall(readAttempts, parts);
  return async (address, person, withinMs) => {
    const until = parts.steady() + withinMs;
    const path = attemptsPath(address, macForm);
    const isAwaited = () => parts.steady() < until;
    const asking = ask({ path, subject: path, person, base: () => (isAwaited() ? answeredBy() : undefined) });
    return (await settlesWithin(asking, withinMs)) ? asking : undefined;
  };
}

/** A number of a minute ago is as good. */
const ASKED_FOR_MS = 60_000;

/**
 * One call a minute to each of the NAC's addresses, under the account of the answered call. Another account may see other
 * sessions, so it gets no answer in that minute.
 * @param onCount called with each count of the service account
 */
export function createActiveCount(
  addresses: readonly URL[],
  onCount: (count: number) => void,
  parts: Parts,
): HasNoSessions {
  const ask = createOptionalCall(readActiveCount, parts);
  const asked = new Map<string, { at: number; owner: string; count: Promise<number | undefined> }>();
  return async (node, person) => {
    const base = addresses.find(({ href }) => href === node);
    if (base === undefined) return undefined;
    const path = activeCountPath();
    const account = await parts.vault.basic(person);
    const owner = account.kind === 'held' ? person : '';
    let known = asked.get(node);
    if (known === undefined || parts.steady() - known.at >= ASKED_FOR_MS) {
      const count = ask({ path, subject: `${node} ${path}`, person, account, base: () => base });
      known = { at: parts.steady(), owner, count };
      asked.set(node, known);
    }
    const all = known.owner === owner ? await known.count : undefined;
    if (all !== undefined && owner === '') onCount(all);
    return all === undefined ? undefined : all === 0;
  };
}

/** Reads `<sessionCount><count>12</count></sessionCount>`; undefined for any other text: a page can come with status 200. */
export function readActiveCount(text: string): number | undefined {
  const { root, items } = readXml(text, 'sessionCount');
  const count = items[0]?.get('count') ?? '';
  return root === 'sessionCount' && /^\d{1,12}$/.test(count) ? Number(count) : undefined;
}

type OptionalAnswer<T> = { kind: 'read'; value: T } | { kind: 'refused' | 'not known' | 'failed' | 'late' };

type OptionalRequest = {
  path: NacPath;
  /** Calls for the same in flight are shared. */
  subject: string;
  person: string;
  /** Default: the person's. */
  account?: OwnAccount;
  /** The address to ask once it is this call's turn; undefined: nobody waits for the answer any more. */
  base(): URL | undefined;
};

/** A call is left alone for an hour if the NAC does not know it, or after so many failures in a row. */
const MAX_FAILURES = 3;
const OFF_FOR_MS = 3_600_000;

/** A call that an answer can do without: shares accounts and slots with lookups, and has no breaker. */
function createOptionalCall<T>(
  read: (text: string) => T | undefined,
  { upstream, vault, calls, steady, log }: Parts,
) {
  let [failures, offUntil] = [0, Number.NEGATIVE_INFINITY];

  /** A call that began before the hour does not count in it. */
  function note({ kind }: OptionalAnswer<T>, path: NacPath): void {
    if (steady() < offUntil) return;
    failures = kind === 'read' ? 0 : failures + 1;
    if (kind !== 'not known' && failures < MAX_FAILURES) return;
    [failures, offUntil] = [0, steady() + OFF_FOR_MS];
    log.info({ path }, 'the NAC does not answer this call; it is left alone for an hour');
  }

  return async ({ path, subject, person, account, base }: OptionalRequest): Promise<T | undefined> => {
    if (steady() < offUntil) return undefined;
    const own = account ?? (await vault.basic(person));
    const answer = await calls.callOrShare<OptionalAnswer<T>>({
      subject,
      person,
      own,
      isOptional: true,
      judge,
      async call(authorization) {
        const url = base();
        if (url === undefined) return { kind: 'late' };
        const answered = readAnswer(await upstream.call(getRequest(url, path, authorization)), read);
        // A person's refused account says nothing of the NAC.
        if (answered.kind !== 'refused' || own.kind !== 'held') note(answered, path);
        return answered;
      },
    });
    return answer.kind === 'read' ? answer.value : undefined;
  };
}

function readAnswer<T>(wire: HttpOutcome, read: (text: string) => T | undefined): OptionalAnswer<T> {
  const { status, text } = wire.kind === 'answered' ? wire : { status: 0, text: '' };
  if (status === 401) return { kind: 'refused' };
  if (status === 404) return { kind: 'not known' };
  const value = status === 200 ? read(text) : undefined;
  return value === undefined ? { kind: 'failed' } : { kind: 'read', value };
}

function judge({ kind }: { kind: string }): Judgement {
  if (kind === 'read') return 'accepted';
  return kind === 'refused' ? kind : 'unknown';
}
