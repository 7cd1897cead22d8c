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
  const known = new Map<string, RecentLookup[]>();
  return {
    note(conversation, lookup) {
      const lookups = known.get(conversation) ?? [];
      const before = lookups.findIndex(({ address }) => address === lookup.address);
      lookups.splice(before === -1 ? MOST_LOOKUPS - 1 : before, 1);
      lookups.unshift(lookup);
      known.delete(conversation);
      known.set(conversation, lookups);
      const oldest = known.size > MOST_CONVERSATIONS ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
    },
    of: (conversation) => [...(known.get(conversation) ?? [])],
  };
}
