import { LRUCache } from 'lru-cache';
import { type Place, withoutThread } from '../../dialogs/render/message.ts';
import type { Route } from '../../dialogs/route.ts';

const ONCE_IN_MS = 60_000;
const MAX_NAMED = 10_000;

export type Overheard = ReturnType<typeof createOverheard>;

/**
 * Which devices were named in which conversation: of several people who name a device within a minute, the first is answered.
 * @param steady a clock that is never set back
 */
export function createOverheard(steady: () => number) {
  const named = new LRUCache<string, { key: string; at: number }>({ max: MAX_NAMED });
  return {
    /** Notes the devices of a message, and returns its route without those that another message named. */
    withoutNamed(chosen: Route, key: string, { reference }: Place): Route {
      if (chosen.kind !== 'run') return chosen;
      const addresses = chosen.addresses.filter((address) => {
        const id = JSON.stringify([withoutThread(reference.conversation.id), address]);
        const before = named.get(id);
        const isFirst = !before || before.key === key || steady() - before.at >= ONCE_IN_MS;
        if (isFirst) named.set(id, { key, at: steady() });
        return isFirst;
      });
      return addresses.length > 0 ? { ...chosen, addresses } : { kind: 'silence' };
    },
  };
}
