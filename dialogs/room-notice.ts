import { LRUCache } from 'lru-cache';
import type { Seen } from '../src/ops/health.ts';

const GONE: ReadonlyMap<string | undefined, string> = new Map([
  ['not found', 'does not exist any more. Make a new one'],
  ['suspended', 'is suspended. Switch it on again, or make a new one'],
]);

/** Returns the notice for an administrator while no post can reach the room, once for each outage; undefined: nothing new. */
export function createRoomNotice({ seen }: { seen(): Seen }) {
  const noted = new LRUCache<string, number>({ max: 1000 });
  return (person: string): string | undefined => {
    const { webhook } = seen();
    const fault = webhook.kind === 'failing' && GONE.get(webhook.why);
    if (!fault || noted.get(person) === webhook.since) return undefined;
    noted.set(person, webhook.since);
    return `The room gets no posts, because its webhook ${fault} in the room, and paste its whole address into WEBHOOK_URL.`;
  };
}
