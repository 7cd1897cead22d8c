import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import { MAX_ADDRESSES } from '../../dialogs/dialog.ts';
import { isEdit, keyOf, writtenAtOf } from './activity.ts';
import { isTargeted } from './targeted.ts';

/** A text of a message, by its activity's key, and the message of ours that answered it, if one did. */
export type Answered = { key: string; messageId: string | undefined };

type Asked = Answered & {
  addresses: readonly string[];
  writtenAt: number;
  isTargeted: boolean;
  /** Until the turn has ended. */
  turn?: Promise<void> | undefined;
};

/** Some 10 MB if each message asks for as many addresses as one may. */
const REMEMBERED = 10_000;

/**
 * Tells which edits are new questions: those that bring another address to a message that was answered here, and that are not
 * older than its latest text.
 */
export function createEdits() {
  const known = new LRUCache<string, Asked>({ max: REMEMBERED });
  const earlierOf = (activity: Activity) =>
    isEdit(activity) ? known.get(messageKeyOf(activity)) : undefined;

  /**
   * Runs `run`, unless an edit asks for nothing new. An edit waits until the turn of the earlier text has ended. If `run` fails,
   * what it answered is forgotten, because the chat service delivers it again.
   * @param run gets what answered the earlier text, if this is an edit; returns the id of the message that answers now
   */
  async function answer(
    activity: Activity,
    allAddresses: readonly string[],
    run: (earlier: Answered | undefined) => Promise<string | undefined>,
  ): Promise<void> {
    const [id, key] = [messageKeyOf(activity), keyOf(activity)];
    const [before, earlier] = [known.get(id), earlierOf(activity)];
    const addresses = allAddresses.slice(0, MAX_ADDRESSES);
    const writtenAt = writtenAtOf(activity);
    if (earlier && writtenAt < earlier.writtenAt) return;
    if (earlier && addresses.every((each) => earlier.addresses.includes(each))) {
      earlier.writtenAt = writtenAt;
      return;
    }
    const about = { key, addresses, writtenAt, isTargeted: isTargeted(activity) };
    const asked: Asked = { ...about, messageId: undefined };
    asked.turn = (async () => {
      await earlier?.turn?.catch(() => {}); // Its own turn tells its failure.
      asked.messageId = await run(earlier);
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
  }

  return {
    answer,
    /** Whether this is a message, or an edit of one that this process remembers. */
    isKnown: (activity: Activity) => !isEdit(activity) || earlierOf(activity) !== undefined,
    /** Whether this edits a message that was targeted. Teams need not mark the edit. */
    isOfTargeted: (activity: Activity) => earlierOf(activity)?.isTargeted === true,
  };
}

/** The same for a message and its edits. */
function messageKeyOf({ conversation, id = '' }: Activity): string {
  return keyOf({ conversation, id });
}
