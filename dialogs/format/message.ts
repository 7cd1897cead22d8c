import { z } from 'zod';

/** What the bot says; a bare string stands for its `text`. Foreign text in `text` comes from `code`, in cards from `runs`. */
export type Message = z.infer<typeof messageSchema>;
export const messageSchema = z.object({
  /** Markdown. Stands alone where there is no card, and where the chat service shows none. */
  text: z.string(),
  /** An Adaptive Card, shown instead of the text. */
  card: z.record(z.string(), z.unknown()).optional(),
  /** What a notification says of the card, as plain text. */
  summary: z.string().optional(),
});

/** Where a question stood and how its asker writes times, as plain data that can be kept. */
export type Place = z.infer<typeof placeSchema>;
export const placeSchema = z.object({
  reference: z.looseObject({ serviceUrl: z.string(), conversation: z.looseObject({ id: z.string() }) }),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});

/** The conversation of a place, the same for all threads of a channel. */
export function conversationOf({ reference }: Place): string {
  return withoutThread(reference.conversation.id);
}

/** A channel's conversation id without the message that a thread in it hangs on (`;messageid=...`). */
export function withoutThread(conversationId: string): string {
  return conversationId.replace(/;messageid=.*$/, '');
}
