/** A channel's conversation id without the message that a thread in it hangs on (`;messageid=...`). */
export function withoutThread(conversationId: string): string {
  return conversationId.replace(/;messageid=.*$/, '');
}
