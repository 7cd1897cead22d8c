/** One form of the incoming webhook: where its address has the token, and how its body carries the text. */
export type WebhookAdapter = {
  /** The path from the base address on, with `token` unchanged. */
  path(token: string): string;
  /** The body as JSON, for one message of at most {@link WebhookAdapter.maxCharacters}. */
  body(text: string): string;
  /** The longest text that the room takes in one message, in UTF-16 units. */
  maxCharacters: number;
  /** Splits the path of a whole address at the base; undefined for an address of another form. */
  split(pathname: string): { base: string; token: string } | undefined;
};
