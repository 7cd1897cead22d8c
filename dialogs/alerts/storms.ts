import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { BaseParts, Chat } from '../dialog.ts';
import * as card from '../render/card.ts';
import { type Message, messageOf, type Place } from '../render/message.ts';
import { line } from '../render/words.ts';

/** `rows`: by incident, untrusted. `shown` has the id of the digest's message. */
type Storm = {
  newAt: number[];
  rows: Map<string, string>;
  shown?: ReturnType<Chat['reply']>;
  next?: Promise<unknown>;
};

/** Spares a thread over ten new messages in 30 s (Teams takes 60, an incident can need three): the rest share a digest. */
export function createDigest({ chat, clock, timing }: Pick<BaseParts, 'chat' | 'clock' | 'timing'>) {
  const options = { max: 1000, ttl: 600_000, noUpdateTTL: true, perf: { now: clock.steady } };
  const storms = new LRUCache<string, Storm>(options); // After ten minutes, the next digest is a new message.
  /** Settles when the digest shows an incident that has no message. Undefined: it gets a message of its own. */
  return (place: Place, key: string, row: string): Promise<unknown> | undefined => {
    const { id } = place.reference.conversation;
    const storm: Storm = storms.get(id) ?? { newAt: [], rows: new Map() };
    storms.set(id, storm);
    storm.newAt = storm.newAt.filter((at) => clock.steady() - at < 30_000);
    const isCalm = storm.newAt.length < 10 && !storm.rows.has(key);
    if (isCalm) return void storm.newAt.push(clock.steady());
    storm.rows.set(key, row);
    storm.next ??= Promise.allSettled([storm.shown, delay(timing.alertFirstMs)]).then(([before]) => {
      delete storm.next;
      const earlierId = before.status === 'fulfilled' ? before.value?.id : undefined;
      storm.shown = chat.reply(place, digestMessage([...storm.rows.values()]), earlierId);
      return storm.shown;
    });
    return storm.next;
  };
}

/** Shows the newest 60 lines, because a message takes 28 KB. */
export function digestMessage(incidents: readonly string[]): Message {
  const { length } = incidents;
  const shown = incidents.slice(-60).map((each) => line`${each}`);
  const count = `${length} more ${length === 1 ? 'alert' : 'alerts'}${length > 60 ? ', the last 60 here' : ''}`;
  return messageOf([card.headingPart(count), card.linesPart(shown)]);
}
