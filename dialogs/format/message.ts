import { z } from 'zod';

/** A message from the bot. Foreign text must go through `code` in `text`, and through `runs` in cards. */
export type Message = z.infer<typeof messageSchema>;
export const messageSchema = z.object({
  /** Markdown. Shown if there is no card or the chat service shows no cards. */
  text: z.string(),
  /** An Adaptive Card, shown instead of the text. */
  card: z.record(z.string(), z.unknown()).optional(),
  /** The notification for the card, as plain text. */
  summary: z.string().optional(),
  /** Mentions who asked, where others read too: for an answer after its turn, when nobody waits any more. */
  mentionsAsker: z.literal(true).optional(),
});

/**
 * Where a message was sent, and its asker's language and time zone. Plain data that can be stored. The reference's `user` is
 * who asked; a place of an older release may have none.
 */
export type Place = z.infer<typeof placeSchema>;
export const placeSchema = z.object({
  reference: z.looseObject({ serviceUrl: z.string(), conversation: z.looseObject({ id: z.string() }) }),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});

/** The id of a place's conversation, the same for all threads of a channel. */
export function conversationOf({ reference }: Place): string {
  return withoutThread(reference.conversation.id);
}

/** Removes a thread's suffix (`;messageid=...`) from a channel's conversation id. */
export function withoutThread(conversationId: string): string {
  const [id = ''] = conversationId.split(';messageid=', 1);
  return id;
}
