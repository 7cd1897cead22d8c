import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Limits, PERSON_ADDRESSES, PERSON_MESSAGES } from '../../dialogs/dialog.ts';
import { askerOf, conversationOf, type Place } from '../../dialogs/render/message.ts';
import { askedBy, asksSomethingNew, type Route } from '../../dialogs/route.ts';
import { isEdit, isTargeted, keyOf } from './activity.ts';

type Listed = 'channels' | 'tenants' | 'users' | 'conversations' | 'admins';
/** Ids that are allowed; undefined: all. */
export type AllowLists = Readonly<Record<Listed, readonly string[] | undefined>>;

const MINUTE_MS = 60_000;

const MAX_REMEMBERED = 10_000;

const expiring = (ttl: number, now: () => number, max = MAX_REMEMBERED) => {
  return { max, ttl, ttlResolution: 0, perf: { now } };
};

export type Permissions = ReturnType<typeof createPermissions>;

/**
 * Who may use the bot. Each list that is set must match; `*` in a list stands for everyone.
 * @param senderTenant asks the chat service for the tenant of the person who asked at a place
 */
export function createPermissions(
  lists: AllowLists,
  now: () => number,
  senderTenant: (place: Place) => Promise<string | undefined>,
) {
  const tenantOnce = createDedupe(now, MAX_REMEMBERED, MINUTE_MS); // Not every message needs a call.
  const firstNamed = createDedupe(now, MAX_REMEMBERED, MINUTE_MS);
  return {
    /** Returns the setting whose list refuses a place or its asker; undefined: it is allowed. */
    async refusedBy(place: Place): Promise<string | undefined> {
      const conversationId = conversationOf(place);
      const tenants = tenantsOf(place);
      if (!holds(lists.channels, place.reference.channelId)) return 'ALLOWED_CHANNELS';
      if (!tenants.every((tenant) => holds(lists.tenants, tenant))) return 'ALLOWED_TENANTS';
      if (!holds(lists.users, personOf(place))) return 'ALLOWED_USERS';
      if (!holds(lists.conversations, conversationId)) return 'ALLOWED_CONVERSATIONS';
      // A shared channel has people of several tenants, and the activity need not say whose this one is.
      const isTenantUnsaid = place.isShared && tenants.length < 2;
      if (holds(lists.tenants, undefined) || !isTenantUnsaid) return undefined;
      const member = JSON.stringify([conversationId, askerOf(place).id]);
      const tenant = await tenantOnce(member, () => senderTenant(place));
      return holds(lists.tenants, tenant) ? undefined : 'ALLOWED_TENANTS';
    },
    /** Whether the person who asks at a place may use the administrators' commands. */
    isAdmin: (place: Place) => holds(lists.admins, personOf(place)),
    /** Sends a refusal once an hour, by its key: nobody can make the bot fill a conversation. */
    onceAnHour: createDedupe(now, MAX_REMEMBERED, 60 * MINUTE_MS),
    /** Returns a message's route without the devices that another message named in its conversation within a minute. */
    async takeFirstNamed(chosen: Route, key: string, place: Place): Promise<Route> {
      if (chosen.kind !== 'run') return chosen;
      const ids = chosen.addresses.map((address) => JSON.stringify([conversationOf(place), address]));
      const firstKeys = await Promise.all(ids.map((id) => firstNamed(id, async () => key)));
      const addresses = chosen.addresses.filter((_, at) => firstKeys[at] === key);
      return addresses.length > 0 ? { ...chosen, addresses } : { kind: 'silence' };
    },
  };
}

/** On other channels a sender can make up every id of a person or a tenant. */
const BELIEVED_CHANNEL = 'msteams';

/** The id by which settings name a person: the directory's, if Teams says it; elsewhere the channel and its id. Empty: nobody. */
export function personOf({ reference: { user, channelId } }: Place): string {
  const { aadObjectId, id = '' } = Object(user);
  if (channelId === BELIEVED_CHANNEL) return aadObjectId || id;
  return id && `${channelId}:${id}`;
}

/** A place's tenant, and that of the person who asks if Teams says it. None is believed on other channels. */
function tenantsOf({ reference: { user, channelId, conversation } }: Place): unknown[] {
  if (channelId !== BELIEVED_CHANNEL) return [undefined];
  const { tenantId } = Object(user);
  return tenantId === undefined ? [conversation.tenantId] : [conversation.tenantId, tenantId];
}

function holds(list: readonly unknown[] | undefined, id: unknown): boolean {
  return list === undefined || list.includes('*') || (id !== '' && list.includes(id));
}

/** Logs the ids that an administrator could add to the setting's list. */
export function logRefusal(log: Logger, place: Place, setting: string): void {
  const [user, tenants] = [personOf(place), tenantsOf(place)];
  const { channelId: channel } = place.reference;
  log.warn({ user, channel, conversation: conversationOf(place), tenants }, `not allowed by ${setting}`);
}

export function refusal(id: string): string {
  return `Sorry, I may not answer you here. My administrator can change that; your id is ${id}.`;
}

const ALERT_ADDRESSES = 600;

/**
 * Limits each person's requests, and those of all alerts together, to so many a minute. The minute begins with the first one,
 * and refusals do not count. @param onLimited called for each refusal of a person
 */
export function createLimits(now: () => number, onLimited: () => void): Limits {
  const memoMethod = () => ({ messages: 0, addresses: 0, alerts: 0 });
  const minutes = new LRUCache({ ...expiring(MINUTE_MS, now), memoMethod });

  const limitTo =
    (max: number, counted: keyof ReturnType<typeof memoMethod>, onOver = onLimited) =>
    (key: string, amount = 1): number => {
      const minute = minutes.memo(key);
      minute[counted] += amount;
      if (minute[counted] <= max) return 0;
      minute[counted] -= amount;
      onOver();
      return minutes.getRemainingTTL(key);
    };
  const takeAlert = limitTo(ALERT_ADDRESSES, 'alerts', () => {});
  return {
    takeMessage: limitTo(PERSON_MESSAGES, 'messages'),
    take: limitTo(PERSON_ADDRESSES, 'addresses'),
    takeAlert: (amount) => takeAlert('', amount),
  };
}

/**
 * Runs a task once for each key: for `rememberedMs` from its beginning, a repeat joins it, or gets its result. A run that
 * failed is forgotten at once, so that a repeat tries again. Beyond `max` runs, the oldest is forgotten.
 */
export function createDedupe(now: () => number, max: number, rememberedMs: number) {
  const runs = new LRUCache<string, Promise<unknown>>(expiring(rememberedMs, now, max));

  return <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const known = runs.get(key);
    if (known) return known as Promise<T>;
    const run = task();
    runs.set(key, run);
    run.catch(() => runs.delete(key));
    return run;
  };
}

/** A text of a message, by its activity's key, and the bot's message that answered it, if there is one. */
type EditedText = {
  key: string;
  messageId?: string | undefined;
  /** Undefined: its answer failed. */
  asked: string | undefined;
  isTargeted: boolean;
  turn?: Promise<void>;
};

/** Returns the id of the message that answers now. */
type Run = (earlier: EditedText | undefined) => Promise<string | undefined>;

/** The memory of answered messages, some 10 MB at most. An edit is a new question if it asks something new. */
export function createEdits() {
  const known = new LRUCache<string, EditedText>({ max: MAX_REMEMBERED });
  const idOf = ({ conversation, id = '' }: Activity) => keyOf({ conversation, id });
  /** The latest text of the message that this edits; undefined: this is no edit, or this process remembers none. */
  const earlierOf = (activity: Activity) => (isEdit(activity) ? known.get(idOf(activity)) : undefined);
  return {
    earlierOf,
    /** Runs `run`, unless an edit asks for nothing new. An edit waits until the turn of the earlier text has ended. */
    async answer(activity: Activity, route: Route, run: Run): Promise<void> {
      const earlier = earlierOf(activity);
      if (earlier && !asksSomethingNew(earlier.asked, route)) return;
      const isPrivate = isTargeted(activity.recipient);
      const now: EditedText = { key: keyOf(activity), asked: askedBy(route), isTargeted: isPrivate };
      now.turn = (async () => {
        await earlier?.turn?.catch(() => {}); // Its own turn reports its failure.
        now.messageId = await run(earlier);
      })();
      known.set(idOf(activity), now);
      now.turn.catch(() => Object.assign(now, earlier, { asked: undefined })); // The chat service delivers it again.
      await now.turn;
    },
  };
}
