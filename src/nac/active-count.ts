import { endCall, UNTRIED } from '../domain/breaker.ts';
import type { Upstream } from '../http.ts';
import type { Calls } from './calls.ts';
import { activeCountPath, getRequest } from './paths.ts';
import { rootElement } from './reading/xml.ts';

/**
 * Whether an address of the NAC has no active session at all; undefined: it did not say.
 * @param person under whose account the NAC is asked, if the person has one
 */
export type HasNoSessions = (node: string, person: string) => Promise<boolean | undefined>;

type ActiveCountParts = {
  upstream: Upstream;
  /** The addresses of the NAC. */
  addresses: readonly URL[];
  calls: Calls;
  steady: () => number;
};

type Count = { kind: 'read'; count: number } | { kind: 'refused' | 'not known' | 'failed' };

/** A number of a minute ago is as good. */
const ASKED_FOR_MS = 60_000;

/** A call that an answer can do without: one a minute to each address. */
export function createActiveCount({ upstream, addresses, calls, steady }: ActiveCountParts): HasNoSessions {
  const asked = new Map<string, { at: number; isEmpty: Promise<boolean | undefined> }>();
  let state = UNTRIED;

  async function ask(base: URL, person: string): Promise<boolean | undefined> {
    const own = await calls.ownAccount(person);
    const outcome = await calls.join<Count>({
      subject: `${base.href} ${activeCountPath()}`,
      person,
      own,
      isOptional: true,
      judge: ({ kind }) => (kind === 'read' ? 'accepted' : kind === 'refused' ? kind : 'unknown'),
      call: async (authorization) =>
        readCount(await upstream.call(getRequest(base, activeCountPath(), authorization))),
    });
    const { kind } = outcome;
    if (kind === 'read') state = endCall(state, 'answered', steady());
    if (kind === 'not known' || kind === 'failed') state = endCall(state, kind, steady());
    return kind === 'read' ? outcome.count === 0 : undefined;
  }

  return async (node, person) => {
    const base = addresses.find(({ href }) => href === node);
    if (base === undefined || steady() < state.offUntil) return undefined;
    const known = asked.get(node);
    if (known && steady() - known.at < ASKED_FOR_MS) return known.isEmpty;
    const isEmpty = ask(base, person);
    asked.set(node, { at: steady(), isEmpty });
    return isEmpty;
  };
}

/** `<sessionCount><count>12</count></sessionCount>`. A page can come with 200, so the root element is checked first. */
export function readCount(wire: Awaited<ReturnType<Upstream['call']>>): Count {
  if (wire.kind !== 'answered') return { kind: 'failed' };
  const { status, text } = wire;
  if (status === 401) return { kind: 'refused' };
  if (status === 404) return { kind: 'not known' };
  const isCount = status === 200 && rootElement(text) === 'sessionCount';
  const [, count] = (isCount && /<count>\s{0,20}(\d{1,12})\s{0,20}<\/count>/.exec(text)) || [];
  return count === undefined ? { kind: 'failed' } : { kind: 'read', count: Number(count) };
}
