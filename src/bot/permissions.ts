import type { Activity } from 'botbuilder-core';
import { withoutThread } from '../../dialogs/format/message.ts';
import { userIdOf } from './activity.ts';

/** Who may use the bot. Each list that is set must match; `*` in a list stands for everyone. */
export type Permissions = {
  /** Whether the sender of an activity may have it answered. */
  allow(activity: Activity): boolean;
  /** Whether a refused sender is to be told now; once an hour, so that the bot cannot be made to fill a conversation. */
  mayTell(person: string): boolean;
  /** Takes it back: what was to be told did not reach them. */
  notTold(person: string): void;
};

const TELL_AGAIN_MS = 3_600_000;
const MOST_REMEMBERED = 10_000;

export function createPermissions(
  lists: Readonly<Record<'tenants' | 'users' | 'conversations', readonly string[] | undefined>>,
  now: () => number,
): Permissions {
  const toldAt = new Map<string, number>();
  return {
    allow: (activity) =>
      holds(lists.tenants, tenantOf(activity)) &&
      holds(lists.users, userIdOf(activity)) &&
      holds(lists.conversations, withoutThread(activity.conversation.id)),
    notTold: (person) => void toldAt.delete(person),
    mayTell(person) {
      if (now() - (toldAt.get(person) ?? Number.NEGATIVE_INFINITY) < TELL_AGAIN_MS) return false;
      toldAt.delete(person);
      toldAt.set(person, now());
      for (const oldest of toldAt.keys()) if (toldAt.size > MOST_REMEMBERED) toldAt.delete(oldest);
      return true;
    },
  };
}

function holds(list: readonly string[] | undefined, id: string | undefined): boolean {
  return list === undefined || list.includes('*') || (id !== undefined && id !== '' && list.includes(id));
}

function tenantOf({ conversation, channelData }: Activity): string | undefined {
  return conversation.tenantId ?? channelData?.tenant?.id;
}
