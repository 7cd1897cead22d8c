import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Chat } from '../dialog.ts';
import { headingPart, linesPart, notePart } from '../render/card.ts';
import { type Message, messageOf, type Place } from '../render/message.ts';
import { type Line, line, toBare } from '../render/words.ts';

/** Teams takes about 60 messages in 30 s in a thread; an incident can need three. */
const MAX_NEW = 10;
const WITHIN_MS = 30_000;
/** After so long without a change, the next storm gets a digest of its own. */
const DIGEST_MS = 10 * 60_000;
/** A message has room for no more. */
const MAX_LINES = 60;

type Storm = {
  newAt: number[];
  lines: Map<string, string>;
  messageId?: string | undefined;
  sending?: Promise<void>;
};
export type Digest = ReturnType<typeof createDigest>;

/** Spares a thread more than ten new messages in 30 s of one process: further incidents are lines of one digest. */
export function createDigest(chat: Pick<Chat, 'reply'>, steady: () => number, waitMs: number) {
  const storms = new LRUCache<string, Storm>({ max: 1000, ttl: DIGEST_MS, perf: { now: steady } });
  async function send(place: Place, storm: Storm): Promise<void> {
    await delay(waitMs);
    delete storm.sending;
    storm.messageId = await chat.reply(place, digestMessage([...storm.lines.values()]), storm.messageId);
  }
  /** Resolves when the digest shows the incident. Undefined: a new incident gets a message of its own. */
  return (place: Place, key: string, text: Line, isInDigest: boolean): Promise<void> | undefined => {
    const { id } = place.reference.conversation;
    const storm: Storm = storms.get(id) ?? { newAt: [], lines: new Map() };
    storms.set(id, storm);
    storm.newAt = storm.newAt.filter((at) => steady() - at < WITHIN_MS);
    if (!isInDigest && storm.newAt.length < MAX_NEW) return void storm.newAt.push(steady());
    storm.lines.set(key, toBare(text));
    storm.sending ??= send(place, storm);
    return storm.sending;
  };
}

/** @param incidents each in a line of untrusted text */
export function digestMessage(incidents: readonly string[]): Message {
  const { length } = incidents;
  const heading = `${length} more ${length === 1 ? 'alert' : 'alerts'}`;
  const shown = incidents.slice(0, MAX_LINES).map((text) => line`${text}`);
  const note = length > MAX_LINES ? [notePart(`${length - MAX_LINES} of them have no line here.`)] : [];
  return messageOf([headingPart(heading), linesPart(shown), ...note]);
}
