import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import { askedBy, asksSomethingNew, type Route } from '../../dialogs/route.ts';
import { isEdit, isTargeted, keyOf } from './activity.ts';

/** A text of a message, by its activity's key, and the bot's message that answered it, if there is one. */
export type EditedText = {
  key: string;
  messageId?: string | undefined;
  /** Undefined: nothing answered it. */
  asked: string | undefined;
  isTargeted: boolean;
  turn?: Promise<void>;
};

/** Some 10 MB if each message asks for as many addresses as one may. */
const REMEMBERED = 10_000;

export type Edits = ReturnType<typeof createEdits>;

/** The memory of messages. An edit is a new question if it asks something new. */
export function createEdits() {
  const known = new LRUCache<string, EditedText>({ max: REMEMBERED });
  /** The same for a message and its edits. */
  const idOf = ({ conversation, id = '' }: Activity) => keyOf({ conversation, id });
  /** The latest text of the message that this edits; undefined: this is no edit, or this process remembers none. */
  const earlierOf = (activity: Activity) => (isEdit(activity) ? known.get(idOf(activity)) : undefined);
  return {
    earlierOf,
    /** Remembers a text that nothing answers: an edit of it can ask. */
    pass(activity: Activity): void {
      if (!known.has(idOf(activity))) known.set(idOf(activity), toEditedText(activity, undefined));
    },
    /**
     * Runs `run`, unless an edit asks for nothing new. An edit waits until the turn of the earlier text has ended.
     * @param run gets the earlier text, if this is an edit; returns the id of the message that answers now
     */
    async answer(
      activity: Activity,
      route: Route,
      run: (earlier: EditedText | undefined) => Promise<string | undefined>,
    ): Promise<void> {
      const earlier = earlierOf(activity);
      if (earlier && !asksSomethingNew(earlier.asked, route)) return;
      const now = toEditedText(activity, route);
      now.turn = (async () => {
        await earlier?.turn?.catch(() => {}); // Its own turn reports its failure.
        now.messageId = await run(earlier);
      })();
      known.set(idOf(activity), now);
      try {
        await now.turn;
      } catch (error) {
        Object.assign(now, earlier, { asked: undefined }); // The chat service delivers it again.
        throw error;
      }
    },
  };
}

function toEditedText(activity: Activity, route: Route | undefined): EditedText {
  const { recipient } = activity;
  return { key: keyOf(activity), asked: route && askedBy(route), isTargeted: isTargeted(recipient) };
}
