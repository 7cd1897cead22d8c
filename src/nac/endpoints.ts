import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Judgement, LockoutGuard } from '../domain/lockout.ts';
import type { MacAddress } from '../domain/mac-address.ts';
import type { Secret } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import { endsWithin } from '../domain/timing.ts';
import type { Upstream } from '../http.ts';
import { createFairQueue } from './accounts.ts';
import { endpointPath, ersEndpointPath, get, groupPath, type NacPath } from './session-call.ts';

/** What the NAC keeps of a device, with or without a session. Texts are foreign. */
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

/** Reads a device's own record. @returns undefined if the administration node did not say it in time */
export type FindEndpoint = (address: MacAddress, person: string) => Promise<Endpoint | undefined>;

/** The longest that one device's record, with its group's name, may take (milliseconds). */
export const ENDPOINT_MS = 1500;
/** A record goes without its group's name if the name is not there by then. */
const SPARE_MS = 100;
const CONCURRENCY = 2;
const GROUPS_FOR_AN_HOUR = { max: 1000, ttl: 3_600_000, ttlResolution: 0 };

type EndpointsOptions = {
  upstream: Upstream;
  url: URL;
  /** The `Authorization` header's value of its own account. */
  authorization(): Secret;
  lockout: LockoutGuard;
  /** Told how each question ended. */
  onEnd(end: EndpointEnd): void;
  /** A clock that is never set back. */
  now: () => number;
};

/** `refused`: 401 or 403. */
type EndpointEnd = 'read' | 'refused' | 'failed';
type Answer = { end: EndpointEnd; endpoint?: Endpoint };
const FAILED: Answer = { end: 'failed' };

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

/**
 * Reads devices' own records from the administration node, with an account of its own. The interface that answered
 * last, by a body in its shape, is asked first: a 404 can also mean that an interface is off.
 */
export function createEndpoints(options: EndpointsOptions): FindEndpoint {
  const { upstream, url, authorization, lockout, onEnd, now } = options;
  const queue = createFairQueue(CONCURRENCY);
  const groups = new LRUCache<string, string>({ ...GROUPS_FOR_AN_HOUR, perf: { now } });
  let learned: (typeof INTERFACES)[number] | undefined;

  async function read(path: NacPath) {
    const wire = await get(upstream, url, path, authorization(), 'application/json');
    const { status, text } = wire.kind === 'answered' ? wire : { status: 0, text: '' };
    return { status, body: parseJson(text), text, isRefused: status === 401 || status === 403 };
  }

  async function find(address: MacAddress, until: number): Promise<Answer> {
    for (const each of new Set(learned ? [learned, ...INTERFACES] : INTERFACES)) {
      const { status, body, text, isRefused } = await read(each.path(address));
      if (isRefused) return { end: 'refused' };
      const found = status === 200 ? each.found.safeParse(body).data : undefined;
      const saysMissing = (text === '' && each === learned) || each.missing.safeParse(body).success;
      const isMissing = status === 404 && saysMissing;
      if (found || isMissing) learned = each;
      if (isMissing) return { end: 'read', endpoint: { kind: 'not known' } };
      if (found) return { end: 'read', endpoint: await describe(found, until) };
      if (status === 0) return FAILED;
    }
    return FAILED;
  }

  async function describe({ groupId, ...found }: EndpointTexts, until: number): Promise<Endpoint> {
    const naming = groupName(groupId ?? '');
    const isNamed = await endsWithin(naming, until - SPARE_MS - now());
    return {
      kind: 'known',
      group: isNamed ? await naming : undefined,
      isStatic: found.staticGroupAssignment === true,
      registeredBy: found.portalUser || undefined,
      description: found.description || undefined,
    };
  }

  async function groupName(id: string): Promise<string | undefined> {
    if (!/^[\w-]{1,64}$/.test(id)) return undefined;
    const known = groups.get(id);
    if (known !== undefined) return known;
    const { name } = groupSchema.safeParse((await read(groupPath(id))).body).data?.EndPointGroup ?? {};
    if (name !== undefined) groups.set(id, name);
    return name;
  }

  return async (address, person) => {
    const until = now() + ENDPOINT_MS;
    const asking = queue.run(address, person, async () => {
      if (now() >= until) return undefined; // Nobody waits for the answer.
      const answer = await lockout.guard(() => find(address, until), judge);
      if ('end' in answer) onEnd(answer.end);
      return 'endpoint' in answer ? answer.endpoint : undefined;
    });
    if (!(await endsWithin(asking, ENDPOINT_MS))) return undefined;
    const endpoint = await asking;
    return endpoint?.kind === 'busy' ? undefined : endpoint;
  };
}

function judge({ end }: { end: EndpointEnd }): Judgement {
  if (end === 'read') return 'accepted';
  return end === 'refused' ? end : 'unknown';
}
