import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Parts } from '../dialog.ts';
import * as card from '../render/card.ts';
import { type Message, messageOf, type Place } from '../render/message.ts';
import { line } from '../render/words.ts';

/** `rows`: by incident, untrusted. */
type Storm = { newAt: number[]; rows: Map<string, string>; id?: string | undefined; sending?: Promise<void> };

/** Spares a thread over ten new messages in 30 s (Teams takes 60, an incident can need three): the rest share a digest. */
export function createDigest({ chat, clock, timing }: Pick<Parts, 'chat' | 'clock' | 'timing'>) {
  const storms = new LRUCache<string, Storm>({ max: 1000, ttl: 600_000, perf: { now: clock.steady } });
  /** Resolves when the digest shows an incident that has no message. Undefined: it gets a message of its own. */
  return (place: Place, key: string, row: string): Promise<void> | undefined => {
    const { id } = place.reference.conversation;
    const storm: Storm = storms.get(id) ?? { newAt: [], rows: new Map() };
    storms.set(id, storm);
    storm.newAt = storm.newAt.filter((at) => clock.steady() - at < 30_000);
    const isCalm = storm.newAt.length < 10 && !storm.rows.has(key);
    if (isCalm) return void storm.newAt.push(clock.steady());
    storm.rows.set(key, row);
    storm.sending ??= delay(timing.alertFirstMs).then(async () => {
      delete storm.sending;
      storm.id = (await chat.reply(place, digestMessage([...storm.rows.values()]), storm.id))?.id;
    });
    return storm.sending;
  };
}

/** Shows 60 lines at most, because a message takes 28 KB. */
export function digestMessage(incidents: readonly string[]): Message {
  const { length } = incidents;
  const shown = incidents.slice(0, 60).map((each) => line`${each}`);
  const count = `${length} more ${length === 1 ? 'alert' : 'alerts'}${length > 60 ? ', the first 60 here' : ''}`;
  return messageOf([card.headingPart(count), card.linesPart(shown)]);
}
