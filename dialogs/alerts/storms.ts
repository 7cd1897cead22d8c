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

type Storm = {
  newAt: number[];
  /** By incident, untrusted. */
  lines: Map<string, string>;
  messageId?: string | undefined;
  sending?: Promise<void> | undefined;
};

/** Spares a thread more than ten new messages in 30 s of one process: further incidents are lines of one digest. */
export function createDigest(chat: Pick<Chat, 'reply'>, steady: () => number, waitMs: number) {
  const storms = new LRUCache<string, Storm>({ max: 1000, ttl: DIGEST_MS, perf: { now: steady } });
  /** Resolves when the digest shows the incident. Undefined: a new incident gets a message of its own. */
  return (place: Place, key: string, toLine: () => string, isInDigest: boolean) => {
    const { id } = place.reference.conversation;
    const storm: Storm = storms.get(id) ?? { newAt: [], lines: new Map() };
    storms.set(id, storm);
    storm.newAt = storm.newAt.filter((at) => steady() - at < WITHIN_MS);
    if (!isInDigest && storm.newAt.length < MAX_NEW) return void storm.newAt.push(steady());
    storm.lines.set(key, toLine());
    storm.sending ??= delay(waitMs).then(async () => {
      storm.sending = undefined;
      const digest = digestMessage([...storm.lines.values()]);
      storm.messageId = (await chat.reply(place, digest, storm.messageId))?.id;
    });
    return storm.sending;
  };
}
