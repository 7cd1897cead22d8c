import type { Activity } from 'botbuilder';
import { LRUCache } from 'lru-cache';
import type { Place } from '../../dialogs/format/message.ts';
import type { StoredChats } from '../store/tables.ts';
import { personOf } from './activity.ts';
import { continuationOf, isPersonal, placeOf } from './replies/place.ts';

/** Where a person can be reached alone. */
export type PersonalChats = {
  /** Remembers the chat of a personal message, in this process. */
  note(activity: Activity): void;
  /** Remembers the chat in which a person installed the bot, or forgets it, everywhere. */
  keep(activity: Activity): Promise<void>;
  drop(activity: Activity): Promise<void>;
  /** The personal chat of who asked at a place. */
  ofAsker(place: Place): Promise<Place | undefined>;
};

/** Some 2 MB. */
const REMEMBERED = 1000;

export function createPersonalChats(stored: StoredChats<Place>): PersonalChats {
  const noted = new LRUCache<string, Place>({ max: REMEMBERED });
  return {
    note(activity) {
      if (isPersonal(activity)) noted.set(personOf(activity), chatOf(activity));
    },
    async keep(activity) {
      if (isPersonal(activity)) await stored.save(personOf(activity), chatOf(activity));
    },
    async drop(activity) {
      if (!isPersonal(activity)) return;
      noted.delete(personOf(activity));
      await stored.remove(personOf(activity));
    },
    async ofAsker(place) {
      const person = personOf(continuationOf(place) as Activity);
      return noted.get(person) ?? (await stored.find(person));
    },
  };
}

/** The place without the message: what is said there later answers nothing that stands there. */
function chatOf(activity: Activity): Place {
  const { reference, ...place } = placeOf(activity);
  const { activityId: _, ...chat } = reference;
  return { ...place, reference: chat };
}
