import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import { asksAnew, type Route } from '../../dialogs/route.ts';
import { isEdit, isTargeted, keyOf, writtenAtOf } from './activity.ts';

/** A text of a message, by its activity's key, and the bot's message that answered it, if there is one. */
export type Question = {
  key: string;
  messageId?: string | undefined;
  /** What it asked for; undefined: nothing answered it. */
  route: Route | undefined;
  writtenAt: number;
  isTargeted: boolean;
  turn?: Promise<void>;
};

/** Some 10 MB if each message asks for as many addresses as one may. */
const REMEMBERED = 10_000;

export type Edits = ReturnType<typeof createEdits>;

/** The memory of messages. An edit is a new question if it asks something new, and is not older than the latest text. */
export function createEdits() {
  const known = new LRUCache<string, Question>({ max: REMEMBERED });
  /** The same for a message and its edits. */
  const idOf = ({ conversation, id = '' }: Activity) => keyOf({ conversation, id });
  /** The latest text of the message that this edits; undefined: this is no edit, or this process remembers none. */
  const earlierOf = (activity: Activity) => (isEdit(activity) ? known.get(idOf(activity)) : undefined);
  return {
    earlierOf,
    /** Remembers a text that nothing answers: an edit of it can ask. */
    pass(activity: Activity): void {
      const [id, writtenAt] = [idOf(activity), writtenAtOf(activity)];
      const asked = { key: keyOf(activity), route: undefined, writtenAt, isTargeted: isTargeted(activity) };
      if (!known.has(id)) known.set(id, asked);
    },
    /**
     * Runs `run`, unless an edit asks for nothing new. An edit waits until the turn of the earlier text has ended.
     * @param run gets the earlier text, if this is an edit; returns the id of the message that answers now
     */
    async answer(
      activity: Activity,
      route: Route,
      run: (earlier: Question | undefined) => Promise<string | undefined>,
    ): Promise<void> {
      const [id, earlier, writtenAt] = [idOf(activity), earlierOf(activity), writtenAtOf(activity)];
      const before = known.get(id);
      if (earlier && writtenAt < earlier.writtenAt) return;
      if (earlier && !asksAnew(earlier.route, route)) {
        earlier.writtenAt = writtenAt;
        return;
      }
      const asked: Question = {
        key: keyOf(activity),
        route,
        writtenAt,
        isTargeted: isTargeted(activity),
      };
      asked.turn = (async () => {
        await earlier?.turn?.catch(() => {}); // Its own turn reports its failure.
        asked.messageId = await run(earlier);
      })();
      known.set(id, asked);
      try {
        await asked.turn;
      } catch (error) {
        // The chat service delivers it again.
        if (known.get(id) === asked) known.set(id, before ?? { ...asked, route: undefined });
        throw error;
      }
    },
  };
}
