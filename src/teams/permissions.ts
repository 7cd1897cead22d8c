import type { Activity } from 'botbuilder';
import { withoutThread } from '../../dialogs/format/message.ts';
import { tenantsOf, userIdOf } from './activity.ts';
import { createOnce } from './once.ts';

/** Ids that are allowed; undefined: all. */
export type AllowLists = Readonly<
  Record<'tenants' | 'users' | 'conversations' | 'admins', readonly string[] | undefined> & {
    channels: readonly string[];
  }
>;

const TELL_AGAIN_MS = 3_600_000;
const MOST_REMEMBERED = 10_000;

export type Permissions = ReturnType<typeof createPermissions>;

/** Who may use the bot. Each list that is set must match; `*` in a list stands for everyone. */
export function createPermissions(lists: AllowLists, now: () => number) {
  return {
    /** Whether the bot says anything at all on the activity's channel. */
    hears: ({ channelId }: Activity) => holds(lists.channels, channelId),
    /** Whether the sender may change what concerns the whole team. */
    isAdmin: (activity: Activity) => holds(lists.admins, userIdOf(activity)),
    allow: (activity: Activity) =>
      holds(lists.channels, activity.channelId) &&
      tenantsOf(activity).every((tenant) => holds(lists.tenants, tenant)) &&
      holds(lists.users, userIdOf(activity)) &&
      holds(lists.conversations, withoutThread(activity.conversation.id)),
    /** Tells a refused sender: once an hour, so that nobody can make the bot fill a conversation. */
    tellOnce: createOnce(now, MOST_REMEMBERED, TELL_AGAIN_MS),
  };
}

function holds(list: readonly string[] | undefined, id: string | undefined): boolean {
  return list === undefined || list.includes('*') || (id !== undefined && id !== '' && list.includes(id));
}

/** What a person is told who may not use the bot, with the id by which an administrator allows it. */
export function refusal(id: string): string {
  return `Sorry, I may not answer you here. My administrator can change that; your id is ${id}.`;
}
