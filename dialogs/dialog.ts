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
  answer(turn: Turn): Promise<void>;
};

/** One message of a person, and the way to answer it. */
export type Turn = {
  /** What stands behind the command's word, or the whole message where no word chose the dialog. */
  text: string;
  /** Tells people apart. */
  person: string;
  /** Says a markdown text where the question stood, in its thread. Foreign text in it must come from `code`. */
  say(markdown: string): Promise<void>;
};
