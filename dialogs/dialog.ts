import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { Vault } from '../src/credentials.ts';
import type { DeviceAddress } from '../src/domain/device-address.ts';
import type { Part } from '../src/domain/part.ts';
import type { Clock, Timing } from '../src/domain/timing.ts';
import type { TlsMode } from '../src/http/connection.ts';
import type { createEndpoints } from '../src/nac/endpoints.ts';
import type { Nac } from '../src/nac.ts';
import type { ServerTls } from '../src/store/postgres.ts';
import type { Rows, Threads } from '../src/store/tables.ts';
import type { Room } from '../src/webhook/sender.ts';
import type { Message, Place } from './render/message.ts';
import type { createFormatters, Formatter } from './render/words.ts';

export type Turn = {
  /** Behind the command. */
  text: string;
  /** To be looked up. */
  addresses: readonly DeviceAddress[];
  /** Sentences for the answer's end. */
  notes: readonly string[];
  /** Identifies the person across conversations. */
  person: string;
  isAdmin: boolean;
  /** Whether nobody but this person reads the conversation. */
  isPersonal: boolean;
  /** Whether the message is meant for the bot, and not for other people: such a one gets no reply about a limit. */
  isAddressed: boolean;
  submission: Submission | undefined;
  /** Identifies the message across conversations. A repeat of a message has the same key. */
  key: string;
  place: Place;
  /** When the message arrived (milliseconds since 1970). */
  arrivedAt: number;
  /** The same by the steady clock, for deadlines. */
  begunAt: number;
  formatter: Formatter;
  /**
   * Replies in the message's thread, in the place of the message with this id if the chat service allows it. If the chat
   * service does not take the reply, it becomes a job.
   */
  say(message: Message | string, replacedId?: string): Promise<void>;
  /** Replies, but queues nothing. Returns the id of the message, if the chat service took it and gave one. */
  sayOnce(message: Message, replacedId?: string): Promise<string | undefined>;
};

/** The data of a card's button, and what was typed into the card. Untrusted: anyone can forge one. */
export type Submission = { data: Readonly<Record<string, unknown>>; cardId: string | undefined };

/** The most addresses in one message; the most addresses and messages of one person in a minute. */
export const MAX_ADDRESSES = 20;
export const PERSON_ADDRESSES = 30;
export const PERSON_MESSAGES = 120;

/** The limits of one person a minute. Each returns how long to wait (milliseconds) if it is too much, else 0. */
export type Limits = {
  takeMessage(person: string): number;
  take(person: string, addresses: number): number;
  /** The same for all alerts together. */
  takeAlert(addresses: number): number;
};

/** Messages outside of a turn. */
export type Chat = {
  /**
   * Sends a message, in the place of the one with this id if the chat service allows it. Returns the id of the message that
   * shows it; none if it became a job, or went in pieces. Undefined: the chat service refuses the conversation (403, 404).
   * @throws DeliveryError if the message could neither be sent nor queued
   */
  reply(place: Place, message: Message, replacedId?: string): Promise<{ id: string | undefined } | undefined>;
  /** Puts a message in the place of one of the bot's. False if the chat service does not allow it. */
  edit(place: Place, messageId: string, message: Message): Promise<boolean>;
};

/** The settings that commands show. */
export type ShownSettings = {
  /** The TLS mode of each configured upstream, by the name that people know. */
  tls: Readonly<Record<string, TlsMode>>;
  databaseTls: ServerTls;
  canSignIn: boolean;
  areAlertsOn: boolean;
  /** Whether a device may be asked for by its user's name. */
  allowsUsers: boolean;
  canWatch: boolean;
  /** Where senders of alerts reach the bot; undefined: not set. */
  publicUrl: URL | undefined;
};

/** The parts of the bot, each by its name. `src/app/parts.ts` makes them in order; a function names those that it uses. */
export type BaseParts = {
  settings: ShownSettings;
  clock: Clock;
  timing: Timing;
  log: Logger;
  /** Logs an error of work in the background. An outage of the database has its own line. */
  onError(error: unknown): void;
  /** Puts the number of the question under way into each line of the log. */
  numbers: AsyncLocalStorage<number>;
  /** Takes an entry `audit` for each finished lookup of a device. `docs/operations.md` explains its fields; times are ISO 8601. */
  audit: Logger;
  health: { parts(): Part[] };
  formatterFor: ReturnType<typeof createFormatters>;
  limits: Limits;
  threads: Threads<Place>;
  /** By the conversation's id without the thread's part. */
  autoreplies: Pick<Rows, 'find' | 'add' | 'remove'>;
  vault: Vault;
  nac: Nac;
  /** Undefined: there is no administration node to ask. */
  findEndpoint: ReturnType<typeof createEndpoints> | undefined;
  room: Room;
  chat: Chat;
};
