import { hash } from 'node:crypto';
import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Limits, PERSON_ADDRESSES, PERSON_MESSAGES } from '../../dialogs/dialog.ts';
import { type Place, withoutThread } from '../../dialogs/render/message.ts';
import type { Route } from '../../dialogs/route.ts';
import { activityAt, isTenantUnsaid, tenantsOf, userIdOf } from './activity.ts';

type Listed = 'channels' | 'tenants' | 'users' | 'conversations' | 'admins';
/** Ids that are allowed; undefined: all. */
export type AllowLists = Readonly<Record<Listed, readonly string[] | undefined>>;

/** A refused sender gets the sentence once an hour. A member's tenant is asked for again after an hour, an unknown one after a minute. */
const FOR_AN_HOUR = { max: 10_000, ttl: 3_600_000, ttlResolution: 0 };

export type Permissions = ReturnType<typeof createPermissions>;

/**
 * Who may use the bot. Each list that is set must match; `*` in a list stands for everyone.
 * @param senderTenant asks the chat service for the tenant of an activity's sender
 */
export function createPermissions(
  lists: AllowLists,
  now: () => number,
  senderTenant: (activity: Activity) => Promise<string | undefined>,
) {
  const knownTenant = rememberTenants(senderTenant, now);

  /** Returns the setting whose list refuses an activity; undefined: it is allowed. */
  async function refusedBy(activity: Activity): Promise<string | undefined> {
    if (!holds(lists.channels, activity.channelId)) return 'ALLOWED_CHANNELS';
    if (!tenantsOf(activity).every((tenant) => holds(lists.tenants, tenant))) return 'ALLOWED_TENANTS';
    if (!holds(lists.users, userIdOf(activity))) return 'ALLOWED_USERS';
    if (!holds(lists.conversations, withoutThread(activity.conversation.id))) return 'ALLOWED_CONVERSATIONS';
    if (holds(lists.tenants, undefined) || !isTenantUnsaid(activity)) return undefined;
    return holds(lists.tenants, await knownTenant(activity)) ? undefined : 'ALLOWED_TENANTS';
  }
  const allow = async (activity: Activity) => (await refusedBy(activity)) === undefined;

  return {
    /** Whether the activity's channel gets any reply at all. */
    isAnswered: ({ channelId }: Activity) => holds(lists.channels, channelId),
    /** Whether the sender may change what concerns the whole team. */
    isAdmin: (activity: Activity) => holds(lists.admins, userIdOf(activity)),
    /** Whether the list names the sender, and not just everyone. */
    isNamedAdmin: (activity: Activity) => lists.admins?.includes(userIdOf(activity)) === true,
    allow,
    /** Logs what an administrator would add to which list. */
    async logRefusal(log: Logger, activity: Activity): Promise<void> {
      const { channelId: channel, conversation } = activity;
      const place = { channel, conversation: withoutThread(conversation.id), tenants: tenantsOf(activity) };
      log.warn({ user: userIdOf(activity), ...place }, `not allowed by ${await refusedBy(activity)}`);
    },
    /** Whether the person of a stored place may still use the bot there. */
    allowStored: (place: Place) => allow(activityAt(place)),
    /** Replies to a refused sender of a conversation, once an hour: nobody can make the bot fill a conversation. */
    refuseOnce: createRefuseOnce(now),
  };
}

/** Nobody makes the bot ask the chat service for each message. */
function rememberTenants(
  senderTenant: (activity: Activity) => Promise<string | undefined>,
  now: () => number,
) {
  const tenants = new LRUCache<string, { tenant: string | undefined }>({ ...FOR_AN_HOUR, perf: { now } });
  return async (activity: Activity): Promise<string | undefined> => {
    const key = JSON.stringify([withoutThread(activity.conversation.id), activity.from?.id]);
    const known = tenants.get(key);
    if (known) return known.tenant;
    const tenant = await senderTenant(activity);
    tenants.set(key, { tenant }, tenant === undefined ? { ttl: MINUTE_MS } : {});
    return tenant;
  };
}

function createRefuseOnce(now: () => number) {
  const refused = new LRUCache<string, true>({ ...FOR_AN_HOUR, perf: { now } });
  return async (sender: string, reply: () => Promise<unknown>): Promise<void> => {
    if (refused.has(sender)) return;
    refused.set(sender, true);
    await reply().catch((error: unknown) => {
      refused.delete(sender);
      throw error;
    });
  };
}

function holds(list: readonly string[] | undefined, id: string | undefined): boolean {
  return list === undefined || list.includes('*') || (id !== undefined && id !== '' && list.includes(id));
}

export function refusal(id: string): string {
  return `Sorry, I may not answer you here. My administrator can change that; your id is ${id}.`;
}

const MINUTE_MS = 60_000;
const ALERT_ADDRESSES = 600;

/** Limits each person's requests, and those of all alerts together, to so many a minute. @param onLimited called for each refusal */
export function createLimits(now: () => number, onLimited: () => void): Limits {
  const [messages, addresses] = [createLimit(PERSON_MESSAGES, now), createLimit(PERSON_ADDRESSES, now)];
  const alerts = createLimit(ALERT_ADDRESSES, now);
  const counted = (waitMs: number) => {
    if (waitMs > 0) onLimited();
    return waitMs;
  };
  return {
    takeMessage: (person) => counted(messages(person, 1)),
    take: (person, amount) => counted(addresses(person, amount)),
    waitFor: (person, amount) => addresses(person, amount, false),
    takeAlert: (amount) => alerts('', amount),
  };
}

/** So much for each key a minute. A key's minute begins with its first request; refusals do not count. */
function createLimit(max: number, now: () => number) {
  const minutes = new Map<string, { taken: number; end: number }>(); // The first to end stands first.

  /** How long to wait for so much more in the key's minute. Takes it if that is possible now, unless only asked. */
  return (key: string, amount: number, isTaken = true): number => {
    const at = now();
    for (const [each, { end }] of minutes) {
      if (end > at) break;
      minutes.delete(each);
    }
    const { taken, end } = minutes.get(key) ?? { taken: 0, end: at + MINUTE_MS };
    if (taken + amount > max) return end - at;
    if (isTaken) minutes.set(key, { taken: taken + amount, end });
    return 0;
  };
}

const MAX_NAMED = 10_000;

export type Overheard = ReturnType<typeof createOverheard>;

/**
 * Which devices were named in which conversation: of several people who name a device within a minute, the first is answered.
 * @param steady a clock that is never set back
 */
export function createOverheard(steady: () => number) {
  const named = new LRUCache<string, { key: string; at: number }>({ max: MAX_NAMED });
  return {
    /** Notes the devices of a message, and returns its route without those that another message named. */
    takeFirstNamed(chosen: Route, key: string, { reference }: Place): Route {
      if (chosen.kind !== 'run') return chosen;
      const addresses = chosen.addresses.filter((address) => {
        const id = JSON.stringify([withoutThread(reference.conversation.id), address]);
        const before = named.get(id);
        const isFirst = !before || before.key === key || steady() - before.at >= MINUTE_MS;
        if (isFirst) named.set(id, { key, at: steady() });
        return isFirst;
      });
      return addresses.length > 0 ? { ...chosen, addresses } : { kind: 'silence' };
    },
  };
}

/** A longer key is remembered by its digest, because keys are untrusted. */
const MAX_KEY_LENGTH = 200;

/**
 * Runs a task once for each key. A repeat joins the run in flight, and gets its result for `rememberedMs` after. A run that
 * failed is forgotten at once, so that a repeat tries again. Beyond `max` results, the oldest is forgotten.
 */
export function createDedupe(now: () => number, max: number, rememberedMs: number) {
  const inFlight = new Map<string, Promise<unknown>>();
  const ended = new Map<string, { answer: unknown; until: number }>(); // The first to end stands first.

  return async <T>(longKey: string, task: () => Promise<T>): Promise<T> => {
    for (const [key, { until }] of ended) {
      if (until >= now() && ended.size < max) break;
      ended.delete(key);
    }
    const key = longKey.length > MAX_KEY_LENGTH ? hash('sha256', longKey, 'base64url') : longKey;
    const known = ended.get(key);
    if (known) return known.answer as T;
    const run = inFlight.get(key);
    if (run) return run as Promise<T>;
    const result = task();
    inFlight.set(key, result);
    try {
      const answer = await result;
      ended.set(key, { answer, until: now() + rememberedMs });
      return answer;
    } finally {
      inFlight.delete(key);
    }
  };
}
