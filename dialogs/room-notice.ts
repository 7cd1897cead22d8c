import { LRUCache } from 'lru-cache';
import type { Part } from '../src/domain/part.ts';

const GONE: ReadonlyMap<string | undefined, string> = new Map([
  ['not found', 'does not exist any more. Make a new one'],
  ['suspended', 'is suspended. Switch it on again, or make a new one'],
]);

/** Returns the notice for an administrator while no post can reach the room, once for each outage; undefined: nothing new. */
export function createRoomNotice(webhook: () => Part) {
  const noted = new LRUCache<string, number>({ max: 1000 });
  return (person: string): string | undefined => {
    const { state, why, since = 0 } = webhook();
    const fault = state === 'failing' && GONE.get(why);
    if (!fault || noted.get(person) === since) return undefined;
    noted.set(person, since);
    return `The room gets no posts, because its webhook ${fault} in the room, and paste its whole address into WEBHOOK_URL.`;
  };
}
