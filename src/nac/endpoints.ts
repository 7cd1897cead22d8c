import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { guarded, type Judgement, type LockoutGuard } from '../domain/lockout.ts';
import type { MacAddress } from '../domain/mac-address.ts';
import { type Account, basicAuthorization } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import { settlesWithin } from '../domain/timing.ts';
import type { Upstream } from '../http.ts';
import { Slots } from './calls.ts';
import { endpointPath, ersEndpointPath, getRequest, groupPath, type NacPath } from './paths.ts';

/** A device's own record in the NAC, with or without a session. Its texts are untrusted. */
export type Endpoint =
  | {
      kind: 'known';
      group?: string | undefined;
      /** Whether somebody put the device into its group, for good. */
      isStatic: boolean;
      registeredBy?: string | undefined;
      description?: string | undefined;
    }
  | { kind: 'not known' };

/** Reads a device's own record. @returns undefined if it did not come in time */
export type FindEndpoint = (address: MacAddress, person: string) => Promise<Endpoint | undefined>;

/** The longest that one device's record, with its group's name, may take (milliseconds). */
export const ENDPOINT_MS = 1500;
/** The group's name is left out if it does not come so long before the end. */
const SPARE_MS = 100;
const CONCURRENCY = 2;
const GROUPS_FOR_AN_HOUR = { max: 1000, ttl: 3_600_000, ttlResolution: 0 };

/** `refused`: 401 or 403. */
type EndpointEnd = 'read' | 'refused' | 'failed';
/** `late`: not asked, because nobody waits for the answer any more. */
type EndpointAnswer = { end: EndpointEnd | 'late'; endpoint?: Endpoint };
const FAILED: EndpointAnswer = { end: 'failed' };
const LATE: EndpointAnswer = { end: 'late' };

const texts = z.object({
  groupId: z.string().nullish(),
  staticGroupAssignment: z.boolean().nullish(),
  portalUser: z.string().nullish(),
  description: z.string().nullish(),
});
type EndpointTexts = z.infer<typeof texts>;

/**
 * Cisco ISE's interfaces for devices' own records: the newer one first (3.1), then ERS, which may be off.
 * `found`: the body of a 200; `missing`: the body of a 404 if the interface is on.
 */
const INTERFACES = [
  {
    path: endpointPath,
    found: texts.extend({ mac: z.string() }),
    missing: z.object({ message: z.string().regex(/endpoint|not found/i), path: z.undefined().optional() }),
  },
  {
    path: ersEndpointPath,
    found: z.object({ ERSEndPoint: texts }).transform(({ ERSEndPoint }) => ERSEndPoint),
    missing: z.object({ ERSResponse: z.object({}) }),
  },
];
const groupSchema = z.object({ EndPointGroup: z.object({ name: z.string() }) });

type NodeParts = Pick<EndpointParts, 'upstream' | 'url' | 'account' | 'steady'>;
type EndpointParts = {
  upstream: Upstream;
  url: URL;
  /** Its own account. */
  account: Account;
  lockout: LockoutGuard;
  /** Called with the end of each question. */
  onEnd(end: EndpointEnd): void;
  steady: () => number;
};

/**
 * Reads devices' own records from the administration node, with an account of its own. The interface that answered
 * last, by a body in its shape, is asked first: a 404 can also mean that an interface is off.
 */
export function createEndpoints(parts: EndpointParts): FindEndpoint {
  const { lockout, onEnd, steady } = parts;
  const node = new AdministrationNode(parts);
  const slots = new Slots(CONCURRENCY);
  const inFlight = new Map<string, Promise<Endpoint | undefined>>();

  async function ask(address: MacAddress, until: number): Promise<Endpoint | undefined> {
    const call = async () => (steady() < until ? node.find(address, until) : LATE);
    const answer = await guarded(lockout, call, judge);
    if ('end' in answer && answer.end !== 'late') onEnd(answer.end);
    return 'endpoint' in answer ? answer.endpoint : undefined;
  }

  return async (address, person) => {
    const until = steady() + ENDPOINT_MS;
    const asking =
      inFlight.get(address) ??
      slots.run(person, () => ask(address, until)).finally(() => inFlight.delete(address));
    inFlight.set(address, asking);
    return (await settlesWithin(asking, ENDPOINT_MS)) ? asking : undefined;
  };
}

/** The administration node: remembers its interface, and its groups' names. */
export class AdministrationNode {
  readonly #parts: NodeParts;
  readonly #groups: LRUCache<string, string>;
  #learned: (typeof INTERFACES)[number] | undefined;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.#groups = new LRUCache({ ...GROUPS_FOR_AN_HOUR, perf: { now: parts.steady } });
  }

  async find(address: MacAddress, until: number): Promise<EndpointAnswer> {
    for (const each of new Set(this.#learned ? [this.#learned, ...INTERFACES] : INTERFACES)) {
      const { status, body, text } = await this.#read(each.path(address));
      if (status === 401 || status === 403) return { end: 'refused' };
      const found = status === 200 ? each.found.safeParse(body).data : undefined;
      const saysMissing = (text === '' && each === this.#learned) || each.missing.safeParse(body).success;
      const isMissing = status === 404 && saysMissing;
      if (found || isMissing) this.#learned = each;
      if (isMissing) return { end: 'read', endpoint: { kind: 'not known' } };
      if (found) return { end: 'read', endpoint: await this.#describe(found, until) };
      if (status === 0) return FAILED;
    }
    return FAILED;
  }

  async #describe({ groupId, ...found }: EndpointTexts, until: number): Promise<Endpoint> {
    const naming = this.#groupName(groupId ?? '');
    const isNamed = await settlesWithin(naming, until - SPARE_MS - this.#parts.steady());
    return {
      kind: 'known',
      group: isNamed ? await naming : undefined,
      isStatic: found.staticGroupAssignment === true,
      registeredBy: found.portalUser || undefined,
      description: found.description || undefined,
    };
  }

  async #groupName(id: string): Promise<string | undefined> {
    if (!/^[\w-]{1,64}$/.test(id)) return undefined;
    const known = this.#groups.get(id);
    if (known !== undefined) return known;
    const { name } = groupSchema.safeParse((await this.#read(groupPath(id))).body).data?.EndPointGroup ?? {};
    if (name !== undefined) this.#groups.set(id, name);
    return name;
  }

  async #read(path: NacPath) {
    const { upstream, url, account } = this.#parts;
    const wire = await upstream.call(getRequest(url, path, basicAuthorization(account), 'application/json'));
    const { status, text } = wire.kind === 'answered' ? wire : { status: 0, text: '' };
    return { status, body: parseJson(text), text };
  }
}

function judge({ end }: EndpointAnswer): Judgement {
  if (end === 'read') return 'accepted';
  return end === 'refused' ? end : 'unknown';
}
