import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { GuardedAccount } from '../domain/lockout.ts';
import type { MacAddress } from '../domain/mac-address.ts';
import type { Account } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import type { Upstream } from '../http.ts';
import { Calls, type OptionalAnswer } from './calls.ts';
import { endpointPath, ersEndpointPath, getRequest, groupPath, type NacPath } from './paths.ts';

/** A device's own record in the NAC, with or without a session, in the NAC's words. Its texts are untrusted. */
export type Endpoint = ({ kind: 'known'; group?: string | undefined } & Found) | { kind: 'not known' };

const CONCURRENCY = 2;

const text = z.string().min(1).optional().catch(undefined);
/** `staticGroupAssignment`: somebody put the device into its group, for good. `portalUser`: who registered it. */
const texts = z.object({
  groupId: text,
  staticGroupAssignment: z.boolean().optional().catch(undefined),
  portalUser: text,
  description: text,
});
type Found = z.infer<typeof texts>;

/** Cisco ISE's interfaces for devices' own records, and the body of a 200: the newer one first (3.1), then ERS, which may be off. */
const INTERFACES = [
  { path: endpointPath, found: texts.extend({ mac: z.string() }) },
  { path: ersEndpointPath, found: z.object({ ERSEndPoint: texts }).transform((body) => body.ERSEndPoint) },
];
/** The body of a 404 if the interface is on. */
const missing = z.union([
  z.object({ message: z.string().regex(/endpoint|not found/i), path: z.undefined().optional() }),
  z.object({ ERSResponse: z.object({}) }),
]);
const groupSchema = z.object({ EndPointGroup: z.object({ name: z.string() }) });

type Node = { upstream: Upstream; url: URL };

/**
 * Reads devices' own records from the administration node, with an account of its own.
 * @param onEnd called with the kind of each answer
 * @returns a function that reads a device's own record; undefined if it did not come in time
 */
export function createEndpoints(
  node: Node,
  guard: GuardedAccount,
  onEnd: (kind: OptionalAnswer<Endpoint>['kind']) => void,
) {
  const find = createEndpointReader(node, guard.account);
  const calls = new Calls(CONCURRENCY);
  return (address: MacAddress, person: string) => {
    const call = async () => {
      const answer = await find(address);
      onEnd(answer.kind);
      return answer;
    };
    return calls.optional({ subject: address, person, guard, call });
  };
}

/**
 * Reads devices' own records one by one: remembers the names of groups, and the interface. The one that answered last, by a
 * body in its shape, is asked first: a 404 can also mean that an interface is off.
 */
export function createEndpointReader({ upstream, url }: Node, account: Account) {
  const groups = new LRUCache<string, string>({ max: 1000, ttl: 3_600_000 });
  let learned: (typeof INTERFACES)[number] | undefined;

  async function read(path: NacPath) {
    const wire = await upstream.call(getRequest(url, path, account, 'application/json'));
    const { status, text } = wire.kind === 'answered' ? wire : { status: 0, text: '' };
    return { status, body: parseJson(text), text };
  }

  async function groupName(id = ''): Promise<string | undefined> {
    if (groups.has(id) || !/^[\w-]{1,64}$/.test(id)) return groups.get(id);
    const { name } = groupSchema.safeParse((await read(groupPath(id))).body).data?.EndPointGroup ?? {};
    if (name !== undefined) groups.set(id, name);
    return name;
  }

  return async (address: MacAddress): Promise<OptionalAnswer<Endpoint>> => {
    for (const each of new Set(learned ? [learned, ...INTERFACES] : INTERFACES)) {
      const { status, body, text } = await read(each.path(address));
      if (status === 401 || status === 403) return { kind: 'refused' };
      const found = status === 200 ? each.found.safeParse(body).data : undefined;
      const saysMissing = (text === '' && each === learned) || missing.safeParse(body).success;
      const isMissing = status === 404 && saysMissing;
      if (found || isMissing) learned = each;
      if (isMissing) return { kind: 'read', value: { kind: 'not known' } };
      if (found)
        return { kind: 'read', value: { kind: 'known', ...found, group: await groupName(found.groupId) } };
      if (status === 0) break;
    }
    return { kind: 'failed' };
  };
}
