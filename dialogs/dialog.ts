import type { MacAddress } from '../src/mac-address.ts';
import type { Format } from './format/locale.ts';
import type { Message, Place } from './format/message.ts';

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
  /** Where the command is of use; undefined: everywhere. */
  only?: 'personal' | 'shared';
  /** Whether only administrators may use the command. */
  forAdmins?: true;
  /** Whether a MAC address behind its name is for it; all others mean `lookup` then. */
  takesAddresses?: true;
  /** Whether a message that no command begins is for this one. */
  claims?(message: Pick<Turn, 'person' | 'isPersonal'>): boolean;
  answer(turn: Turn): Promise<void>;
};

/** One message of a person, and the ways to answer it. */
export type Turn = {
  /** What stands behind the command's word, or the whole message where no word chose the dialog. */
  text: string;
  /** The MAC addresses in it, in order of first appearance, each once. */
  addresses: readonly MacAddress[];
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
  /** Numbers and times as this person writes them. */
  format: Format;
  /** Says something where the question stood, in its thread; what the chat service does not take is kept and said later. */
  say(message: Message | string): Promise<void>;
  /** Says it once; gives the message's id for `replace`, undefined where the chat service did not take it. */
  sayOnce(message: Message): Promise<string | undefined>;
  /** Puts something in the place of a message of the bot's. False where the chat service does not let it. */
  replace(messageId: string, message: Message | string): Promise<boolean>;
};

/** What came back from a card: its own data and what was typed into it. Foreign: anyone can make one up. */
export type Submission = { data: Readonly<Record<string, unknown>>; cardId: string | undefined };

/** The most addresses in one message. */
export const MAX_ADDRESSES = 20;

/** How many addresses one person may ask for in a minute. */
export const PERSON_ADDRESSES = 30;

/** How many messages one person may send in a minute. */
export const PERSON_MESSAGES = 120;

/** What one person may ask for in a minute. */
export type Limits = {
  /** Counts one message, whatever it says. Returns how long to wait (milliseconds) if it is too many, else 0. */
  takeMessage(person: string): number;
  /** Counts addresses. Returns how long to wait (milliseconds) if they are too many, else 0. */
  take(person: string, addresses: number): number;
  /** Gives back addresses that were counted and not asked for. */
  giveBack(person: string, addresses: number): void;
};
