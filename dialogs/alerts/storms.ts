import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Chat } from '../dialog.ts';
import type { Place } from '../render/message.ts';
import { digestMessage } from './alert-answer.ts';

/** Teams takes about 60 messages in 30 s in a thread; an incident can need three. */
const MAX_NEW = 10;
const WITHIN_MS = 30_000;
/** After so long without a change, the next storm gets a digest of its own. */
const DIGEST_MS = 10 * 60_000;

/** The new messages and the digest of one thread. `lines`: by incident, untrusted. `sending`: until the digest shows them. */
type Storm = {
  newAt: number[];
  changedAt: number;
  lines: Map<string, string>;
  messageId?: string | undefined;
  sending?: Promise<void> | undefined;
};

export type Storms = ReturnType<typeof createStorms>;

/** Spares a thread more than ten new messages in 30 s of one process: further incidents are lines of one digest. */
export function createStorms(chat: Pick<Chat, 'reply'>, steady: () => number, waitMs: number) {
  const storms = new LRUCache<string, Storm>({ max: 1000 });
  const stormIn = ({ reference }: Place): Storm => {
    const { id } = reference.conversation;
    const storm = storms.get(id) ?? { newAt: [], changedAt: 0, lines: new Map() };
    storms.set(id, storm);
    return storm;
  };
  return {
    /** Takes a new incident. Returns whether it is a line of the digest. */
    takeNew(place: Place): boolean {
      const storm = stormIn(place);
      storm.newAt = storm.newAt.filter((at) => steady() - at < WITHIN_MS);
      if (storm.newAt.length >= MAX_NEW) return true;
      storm.newAt.push(steady());
      return false;
    },
    /** Writes an incident's line, in the place of its earlier line. Resolves when the digest shows it. Throws what chat throws. */
    write(place: Place, incident: string, line: string): Promise<void> {
      const storm = stormIn(place);
      if (steady() - storm.changedAt >= DIGEST_MS)
        Object.assign(storm, { lines: new Map(), messageId: undefined });
      storm.changedAt = steady();
      storm.lines.set(incident, line);
      storm.sending ??= delay(waitMs).then(async () => {
        storm.sending = undefined;
        storm.messageId = await chat.reply(place, digestMessage([...storm.lines.values()]), storm.messageId);
      });
      return storm.sending;
    },
  };
}
