import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Parts } from '../dialog.ts';
import * as card from '../render/card.ts';
import { type Message, messageOf, type Place } from '../render/message.ts';
import { line } from '../render/words.ts';

/** `newAt`: of the last ten new messages. `lines`: by incident, untrusted. */
type Storm = {
  newAt: number[];
  lines: Map<string, string>;
  id?: string | undefined;
  sending?: Promise<void>;
};

/** Spares a thread over ten new messages in 30 s (Teams takes 60, an incident can need three): the rest share a digest. */
export function createDigest({ chat, clock, timing }: Pick<Parts, 'chat' | 'clock' | 'timing'>) {
  const storms = new LRUCache<string, Storm>({ max: 1000, ttl: 600_000, perf: { now: clock.steady } });
  /** Resolves when the digest shows an incident that has no message. Undefined: it gets a message of its own. */
  return (place: Place, key: string, text: string): Promise<void> | undefined => {
    const { id } = place.reference.conversation;
    const storm: Storm = storms.get(id) ?? { newAt: Array(10).fill(-30_000), lines: new Map() };
    storms.set(id, storm);
    const isCalm = clock.steady() - Number(storm.newAt[0]) >= 30_000 && !storm.lines.has(key);
    if (isCalm) return void storm.newAt.splice(0, 10, ...storm.newAt.slice(1), clock.steady());
    storm.lines.set(key, text);
    storm.sending ??= delay(timing.alertFirstMs).then(async () => {
      delete storm.sending;
      storm.id = (await chat.reply(place, digestMessage([...storm.lines.values()]), storm.id))?.id;
    });
    return storm.sending;
  };
}

/** Shows 60 lines at most, because a message takes 28 KB. */
export function digestMessage(incidents: readonly string[]): Message {
  const shown = incidents.slice(0, 60).map((each) => line`${each}`);
  const { length } = incidents;
  const count = length > 60 ? `${length} more alerts, the first 60 here` : `${length} more alerts`;
  return messageOf([card.headingPart(length === 1 ? '1 more alert' : count), card.linesPart(shown)]);
}
