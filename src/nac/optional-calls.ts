import type { Logger } from 'pino';
import type { Secret } from '../domain/secret.ts';
import type { Upstream } from '../http.ts';
import type { AccountVault, Calls, OptionalAnswer, OwnAccount } from './calls.ts';
import { activeCountPath, getRequest, type NacPath } from './paths.ts';
import { readXml } from './reading/session.ts';

export type OptionalParts = {
  addresses: readonly URL[];
  upstream: Upstream;
  calls: Calls;
  steady: () => number;
  log: Logger;
};

/** A number of a minute ago is as good. */
const ASKED_FOR_MS = 60_000;

/**
 * Returns whether an address of the NAC has no active session at all; undefined: it did not say. One call a minute to each
 * address, under the account of the answered call. Another account may see other sessions, so it gets no answer in that minute.
 * @param onCount called with each count of the service account
 */
export function createActiveCount(
  onCount: (count: number) => void,
  vault: AccountVault,
  parts: OptionalParts,
) {
  const ask = createOptionalCall(readActiveCount, parts);
  const asked = new Map<string, { at: number; owner: string; count: Promise<number | undefined> }>();
  return async (node: string, person: string): Promise<boolean | undefined> => {
    const own = await vault.basic(person);
    const owner = own.kind === 'held' ? person : '';
    let known = asked.get(node);
    if (known === undefined || parts.steady() - known.at >= ASKED_FOR_MS) {
      known = { at: parts.steady(), owner, count: ask(node, activeCountPath(), person, own) };
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

/** A call is left alone for an hour after so many failures in a row: some NACs do not know it. */
const MAX_FAILURES = 3;
const OFF_FOR_MS = 3_600_000;

/** A call that an answer can do without: shares accounts and slots with lookups, and has no breaker. */
export function createOptionalCall<T>(
  read: (text: string) => T | undefined,
  { addresses, upstream, calls, steady, log }: OptionalParts,
) {
  let [failures, offUntil] = [0, Number.NEGATIVE_INFINITY];

  function note(isRead: boolean, path: NacPath): void {
    if (steady() < offUntil) return; // The call began before the hour.
    failures = isRead ? 0 : failures + 1;
    if (failures < MAX_FAILURES) return;
    [failures, offUntil] = [0, steady() + OFF_FOR_MS];
    log.info({ path }, 'the NAC does not answer this call; it is left alone for an hour');
  }

  return async (
    node: string | undefined,
    path: NacPath,
    person: string,
    own: OwnAccount,
  ): Promise<T | undefined> => {
    const base = addresses.find(({ href }) => href === node);
    if (base === undefined || steady() < offUntil) return undefined;
    const call = async (authorization: Secret): Promise<OptionalAnswer<T>> => {
      const wire = await upstream.call(getRequest(base, path, authorization));
      const { status, text } = wire.kind === 'answered' ? wire : { status: 0, text: '' };
      const value = status === 200 ? read(text) : undefined;
      // A person's refused account says nothing of the NAC.
      if (status !== 401 || own.kind !== 'held') note(value !== undefined, path);
      if (value !== undefined) return { kind: 'read', value };
      return { kind: status === 401 ? 'refused' : 'failed' };
    };
    return calls.optional({ subject: `${node} ${path}`, person, own, call });
  };
}
