import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import { withoutThread } from '../../dialogs/format/message.ts';
import { tenantsOf, userIdOf } from './activity.ts';

/** Ids that are allowed; undefined: all. */
export type AllowLists = Readonly<
  Record<'tenants' | 'users' | 'conversations' | 'admins', readonly string[] | undefined> & {
    channels: readonly string[];
  }
>;

/** A refused sender is told again after an hour. */
const TOLD = { max: 10_000, ttl: 3_600_000, ttlResolution: 0 };

export type Permissions = ReturnType<typeof createPermissions>;

/** Who may use the bot. Each list that is set must match; `*` in a list stands for everyone. */
export function createPermissions(lists: AllowLists, now: () => number) {
  const told = new LRUCache<string, true>({ ...TOLD, perf: { now } });
  return {
    /** Whether the bot says anything at all on the activity's channel. */
    hears: ({ channelId }: Activity) => holds(lists.channels, channelId),
    /** Whether the sender may change what concerns the whole team. */
    isAdmin: (activity: Activity) => holds(lists.admins, userIdOf(activity)),
    /** Whether the sender of an activity may have it answered. */
    allow: (activity: Activity) =>
      holds(lists.channels, activity.channelId) &&
      tenantsOf(activity).every((tenant) => holds(lists.tenants, tenant)) &&
      holds(lists.users, userIdOf(activity)) &&
      holds(lists.conversations, withoutThread(activity.conversation.id)),
    /** Tells a refused sender: once an hour, so that nobody can make the bot fill a conversation. */
    async tellOnce(person: string, tell: () => Promise<unknown>): Promise<void> {
      if (told.has(person)) return;
      told.set(person, true);
      await tell().catch((error: unknown) => {
        told.delete(person);
        throw error;
      });
    },
  };
}

function holds(list: readonly string[] | undefined, id: string | undefined): boolean {
  return list === undefined || list.includes('*') || (id !== undefined && id !== '' && list.includes(id));
}

/** What a person is told who may not use the bot, with the id by which an administrator allows it. */
export function refusal(id: string): string {
  return `Sorry, I may not answer you here. My administrator can change that; your id is ${id}.`;
}
