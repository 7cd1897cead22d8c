import type { Vault } from '../src/credentials.ts';
import type { FoundAddresses } from '../src/domain/device-address.ts';
import type { Lookup } from '../src/domain/outcome.ts';
import type { Timing } from '../src/domain/timing.ts';
import type { Audit } from '../src/ops/log.ts';
import type { Rows, Threads } from '../src/store/tables.ts';
import type { Deliver, HandOver } from '../src/webhook/delivery.ts';
import type { Message, Place } from './format/message.ts';
import type { Reader, Readers } from './format/words.ts';

export type Dialog = {
  /** The command's first word, lower case. */
  name: string;
  aliases?: readonly string[];
  /** One line for the list of commands, without a full stop. */
  summary: string;
  examples: readonly string[];
  /** What `help NAME` says beside the examples, one sentence a line. */
  details: readonly string[];
  /** Where the command is useful; undefined: everywhere. */
  only?: 'personal' | 'shared';
  forAdmins?: true;
  /** Whether a MAC address in the text after the command belongs to it. Otherwise the address means `lookup`. */
  takesAddresses?(text: string): boolean;
  /** Whether an IP address after the command is an address to ask for. */
  takesIpAddresses?: true;
  /** Whether this dialog takes a message that begins with no command. */
  claims?(message: Pick<Turn, 'text' | 'person' | 'isPersonal'>): boolean;
  answer(turn: Turn): Promise<void>;
};

/** `addresses`, `beside`, `faults`: of `text`; IP addresses only after a command that takes them. */
export type Turn = FoundAddresses & {
  text: string;
  /** Whether the message is longer than what is searched; undefined: it is not. */
  isCut?: boolean;
  /** Whether the person said `text` to the bot: it is no quote, and was not said to others. */
  isAsked: boolean;
  /** Identifies the person across conversations. */
  person: string;
  /** What the person is called, else the person's id. Foreign. */
  name: string;
  isAdmin: boolean;
  /** Whether nobody but this person reads the conversation. */
  isPersonal: boolean;
  showsCards: boolean;
  submission: Submission | undefined;
  /** Identifies the message across conversations. A repeat of a message has the same key. */
  key: string;
  place: Place;
  /** When the message arrived (milliseconds since 1970). */
  arrivedAt: number;
  reader: Reader;
  /** Replies in the message's thread. If the chat service does not take the reply, it is kept and sent later. */
  say(message: Message | string): Promise<void>;
  /**
   * Replies, but keeps nothing for later. Returns undefined if the chat service did not take the message.
   * @param isLast whether the turn ends with the message: it is tried for a while, and said even where replies come all at once
   */
  sayOnce(message: Message, isLast?: boolean): Promise<TakenMessage | undefined>;
  /** Returns false if the chat service does not allow it. */
  replace(messageId: string, message: Message | string): Promise<boolean>;
};

/** A message that the chat service took; some give no id. */
export type TakenMessage = { id: string | undefined };

/** What a card's button sent: the card's own data and what was typed into it. Untrusted: anyone can forge one. */
export type Submission = { data: Readonly<Record<string, unknown>>; cardId: string | undefined };

/** The most addresses in one message, and what one person may ask for and send in a minute. */
export const MAX_ADDRESSES = 20;
export const PERSON_ADDRESSES = 30;
export const PERSON_MESSAGES = 120;

/** What one person may ask for in a minute. Each returns how long to wait (milliseconds) if it is too much, else 0. */
export type Limits = {
  takeMessage(person: string): number;
  take(person: string, addresses: number): number;
  /** What `take` would return. Counts nothing. */
  waitFor(person: string, addresses: number): number;
  /** The same for all alerts together. */
  takeAlert(addresses: number): number;
};

/** A row for each conversation of some kind, by the conversation's id without the thread's part. */
export type Conversations = Pick<Rows, 'find' | 'add' | 'remove'>;

/** Puts a question's number into each log line until `work` has ended. */
export type WithNumber = <T>(number: number, work: () => T) => T;

/** What dialogs and their jobs use of the rest of the bot. Each takes what it needs. */
export type Services = {
  lookUp: Lookup;
  deliver: Deliver;
  handOver: HandOver;
  /**
   * Sends a message after the turn, in the place of the one with this id if the chat service allows it. Returns the id of the
   * message that shows it; undefined if it is kept for later or went in pieces.
   */
  sayLater(place: Place, message: Message, messageId?: string): Promise<string | undefined>;
  threads: Threads<Place>;
  vault: Vault;
  limits: Limits;
  audit: Audit;
  readerOf: Readers;
  now: () => number;
  timing: Timing;
  onError(error: unknown): void;
};
