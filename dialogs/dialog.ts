import { z } from 'zod';

/** One kind of conversation: a command, what `help` says of it, and its answer. */
export type Dialog = {
  /** The command's first word, lower case. */
  name: string;
  /** Other first words that mean the same. */
  aliases?: readonly string[];
  /** One line in the list of commands, without a full stop. */
  summary: string;
  /** Things to type, each as it would be typed. */
  examples: readonly string[];
  /** What `help NAME` says beside the examples, a sentence a line. */
  details: readonly string[];
  /** Whether a message that no dialog understands is for this one. */
  claims?(message: Pick<Turn, 'person' | 'isPersonal'>): boolean;
  answer(turn: Turn): Promise<void>;
};

/** One message of a person, and the ways to answer it. */
export type Turn = {
  /** What stands behind the command's word, or the whole message where no word chose the dialog. */
  text: string;
  /** Tells people apart, over conversations. */
  person: string;
  /** Whether this person may change what concerns the whole team. */
  isAdmin: boolean;
  /** Whether nobody but this person reads the conversation. */
  isPersonal: boolean;
  /** What a button of one of this dialog's cards sent; undefined for a typed message. */
  submission: Submission | undefined;
  /** Tells messages apart, over conversations; a repeat of a message has the same. */
  key: string;
  /** Where the question stood; a later answer goes there. */
  place: Place;
  /** When the message arrived (milliseconds since 1970). */
  arrivedAt: number;
  /** A time (milliseconds since 1970) as this person writes it. */
  formatTime(ms: number): string;
  /** Says a markdown text where the question stood, in its thread. Foreign text in it must come from `code`. */
  say(markdown: string): Promise<void>;
  /** Shows an Adaptive Card; `summary` is what a notification says, as plain text. */
  show(card: object, summary: string): Promise<void>;
  /** Puts a text in the place of a message of the bot's. False where the chat service does not let it. */
  replace(messageId: string, markdown: string): Promise<boolean>;
};

/** Where a question stood and how its asker writes times, as plain data that can be kept. */
export type Place = z.infer<typeof placeSchema>;
export const placeSchema = z.object({
  reference: z.looseObject({ serviceUrl: z.string(), conversation: z.looseObject({ id: z.string() }) }),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});

/** What came back from a card: its own data and what was typed into it. Foreign: anyone can make one up. */
export type Submission = { data: Readonly<Record<string, unknown>>; cardId: string | undefined };
