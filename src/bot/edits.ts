import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import { MAX_ADDRESSES } from '../../dialogs/dialog.ts';
import { isEdit, keyOf } from './activity.ts';

/** Which edits are new questions: those that bring another address to a message that was answered here. */
export type Edits = {
  /** Whether this is a message, or an edit of one that this process remembers. */
  isKnown(activity: Activity): boolean;
  /**
   * Remembers what a message, or an edit, asks for. Returns a function that forgets it, for an answer that failed; undefined
   * if an edit asks for nothing new.
   */
  take(activity: Activity, addresses: readonly string[]): (() => void) | undefined;
};

/** Some 10 MB if each message asks for as many addresses as one may. */
const REMEMBERED = 10_000;

export function createEdits(): Edits {
  const asked = new LRUCache<string, readonly string[]>({ max: REMEMBERED });
  return {
    isKnown: (activity) => !isEdit(activity) || asked.has(messageKeyOf(activity)),
    take(activity, addresses) {
      const key = messageKeyOf(activity);
      const first = addresses.slice(0, MAX_ADDRESSES);
      const earlier = asked.get(key) ?? [];
      if (isEdit(activity) && first.every((each) => earlier.includes(each))) return undefined;
      asked.set(key, first);
      return () => void asked.set(key, earlier);
    },
  };
}

/** The same for a message and its edits. */
function messageKeyOf({ conversation, id = '' }: Activity): string {
  return keyOf({ conversation, id });
}
