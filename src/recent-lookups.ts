/** A lookup that a conversation has seen: the device, what came of it in few words, and when (milliseconds since 1970). */
export type RecentLookup = { address: string; verdict: string; at: number };

/** The last lookups of each conversation, in this process's memory: the quick way of a lookup writes nothing elsewhere. */
export type RecentLookups = {
  note(conversation: string, lookup: RecentLookup): void;
  /** The newest first, each device once. */
  of(conversation: string): readonly RecentLookup[];
};

/** How many are remembered of one conversation, and of how many conversations; the least used are forgotten first. */
const MOST_LOOKUPS = 10;
const MOST_CONVERSATIONS = 1000;

export function createRecentLookups(): RecentLookups {
  const known = new Map<string, Map<string, RecentLookup>>();
  return {
    note(conversation, lookup) {
      const lookups = known.get(conversation) ?? new Map<string, RecentLookup>();
      setLast(lookups, lookup.address, lookup, MOST_LOOKUPS);
      setLast(known, conversation, lookups, MOST_CONVERSATIONS);
    },
    of: (conversation) => [...(known.get(conversation)?.values() ?? [])].reverse(),
  };
}

/** Sets a value as the newest of at most so many. */
function setLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > most ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
