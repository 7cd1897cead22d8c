import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import { MAX_ADDRESSES } from '../../dialogs/dialog.ts';
import { isEdit, keyOf } from './activity.ts';
import { isTargeted } from './targeted.ts';

/**
 * Which edits are new questions: those that bring another address to a message that was answered here, and that are not
 * older than its latest text.
 */
export type Edits = {
  /** Whether this is a message, or an edit of one that this process remembers. */
  isKnown(activity: Activity): boolean;
  /** Whether this edits a message that was targeted. Teams need not mark the edit. */
  isOfTargeted(activity: Activity): boolean;
  /**
   * Runs `answer`, unless an edit asks for nothing new. An edit waits until the turn of the earlier text has ended. If `answer`
   * fails, what it answered is forgotten, because the chat service delivers it again.
   * @param answer gets what answered the earlier text, if this is an edit; returns the id of the message that answers now
   */
  answer(
    activity: Activity,
    addresses: readonly string[],
    answer: (earlier: Answered | undefined) => Promise<string | undefined>,
  ): Promise<void>;
};

/** A text of a message, by its activity's key, and the message of ours that answered it, if one did. */
export type Answered = { key: string; messageId: string | undefined };

type Asked = Answered & {
  addresses: readonly string[];
  /** When the text was written, by the chat service (milliseconds since 1970); NaN if it did not say. */
  writtenAt: number;
  isTargeted: boolean;
  /** Until the turn has ended. */
  turn?: Promise<void> | undefined;
};

/** Some 10 MB if each message asks for as many addresses as one may. */
const REMEMBERED = 10_000;

export function createEdits(): Edits {
  const known = new LRUCache<string, Asked>({ max: REMEMBERED });
  const earlierOf = (activity: Activity) =>
    isEdit(activity) ? known.get(messageKeyOf(activity)) : undefined;
  return {
    isKnown: (activity) => !isEdit(activity) || earlierOf(activity) !== undefined,
    isOfTargeted: (activity) => earlierOf(activity)?.isTargeted === true,
    async answer(activity, allAddresses, answer) {
      const id = messageKeyOf(activity);
      const before = known.get(id);
      const earlier = earlierOf(activity);
      const addresses = allAddresses.slice(0, MAX_ADDRESSES);
      const writtenAt = new Date(activity.timestamp ?? Number.NaN).getTime();
      if (earlier && writtenAt < earlier.writtenAt) return;
      if (earlier && addresses.every((each) => earlier.addresses.includes(each))) {
        earlier.writtenAt = writtenAt;
        return;
      }
      const asked: Asked = {
        key: keyOf(activity),
        messageId: undefined,
        addresses,
        writtenAt,
        isTargeted: isTargeted(activity),
      };
      asked.turn = (async () => {
        await earlier?.turn?.catch(() => {}); // Its own turn tells its failure.
        asked.messageId = await answer(earlier);
      })();
      known.set(id, asked);
      try {
        await asked.turn;
      } catch (error) {
        if (known.get(id) === asked) known.set(id, before ?? { ...asked, addresses: [] });
        throw error;
      } finally {
        asked.turn = undefined;
      }
    },
  };
}

/** The same for a message and its edits. */
function messageKeyOf({ conversation, id = '' }: Activity): string {
  return keyOf({ conversation, id });
}
