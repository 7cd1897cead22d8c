import type { Turn } from '../dialog.ts';
import { type ShownBefore, shownBeforeSchema } from './shown-before.ts';

/** A press of a button that edits the message on which it stands. */
export type Press = { cardId: string; was: ShownBefore };

/** Undefined: no press, or one that edits nothing. The button's data is untrusted; the message's id is the chat service's. */
export function pressOf({ submission }: Pick<Turn, 'submission'>): Press | undefined {
  const was = shownBeforeSchema.safeParse(submission?.data.was).data;
  return submission?.cardId && was ? { cardId: submission.cardId, was } : undefined;
}

/** What goes on after a turn; undefined: nothing. Never rejects. */
export type Afterwards = { rest: Promise<void> | undefined };

/** Runs a press's turn. A press that equals one under way joins it, and ends with that one's turn. */
export type Presses = (turn: Turn, press: Press, begin: () => Promise<Afterwards>) => Promise<void>;

export function createPresses(): Presses {
  const underWay = new Map<string, Promise<Afterwards>>();
  return async ({ place, text }, { cardId }, begin) => {
    const key = JSON.stringify([place.reference.conversation.id, cardId, text]);
    const twin = underWay.get(key);
    if (twin) return void (await twin);
    const turn = begin();
    underWay.set(key, turn);
    try {
      const { rest } = await turn;
      if (rest) void rest.then(() => underWay.delete(key));
      else underWay.delete(key);
    } catch (error) {
      underWay.delete(key);
      throw error;
    }
  };
}
