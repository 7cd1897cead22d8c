import { type DeviceAddress, type FoundAddresses, readAddresses } from '../src/domain/device-address.ts';
import { completeTail } from '../src/domain/mistyped.ts';
import { firstPart } from '../src/domain/text.ts';
import type { Submission } from './dialog.ts';
import * as texts from './lookup/question.ts';
import type { AskedDevice, Known, Pending } from './lookup/recent.ts';
import * as read from './read-message.ts';
import type { Message } from './render/message.ts';

/** A message as data. */
export type Sent = {
  text: string;
  /** What stands beside the person's own words: a quote, a forwarded message, a card, a code snippet. Empty if nothing does. */
  quoted: string;
  unseen: readonly texts.Unseen[];
  /** Whether the message is longer than what is searched. */
  isCut?: boolean;
  /** Whether it was said to the bot, and not to other people. */
  isAddressed: boolean;
  isPersonal: boolean;
  isAdmin: boolean;
  submission: Submission | undefined;
};

/** `text`: behind the command. `notes`: sentences for the answer's end. */
type Run = {
  kind: 'run';
  command: read.CommandName;
  text: string;
  addresses: readonly DeviceAddress[];
  notes: readonly string[];
};
/** `pending`: the reply asks something itself. */
export type Route = Run | { kind: 'reply'; message: Message; pending?: Pending } | { kind: 'silence' };

/**
 * Chooses the command that a message means, or the reply: the first rule that holds.
 * @param allowsUsers whether devices may be looked up by a user's name
 * @param canWatch whether devices may be watched
 */
export function route(sent: Sent, known: Known, allowsUsers: boolean, canWatch = true): Route {
  const isAnswer = known.pending?.addresses.length === 0;
  const own = read.readMessage(
    sent.text,
    sent.isAddressed ? (isAnswer ? 'asked' : 'addressed') : 'overheard',
  );
  const context = {
    ...sent,
    known,
    allowsUsers,
    canWatch,
    own,
    beside: readAddresses(sent.quoted, 'addressed'),
  };
  const chosen = RULES.find(({ when }) => when(context))?.to(context) ?? reply(texts.unknown);
  const isRefused = chosen.kind === 'run' && FOR_ADMINS.has(chosen.command) && !sent.isAdmin;
  return isRefused ? reply(texts.forAdmins) : chosen;
}

/** Whether an edited message asks something new. @param earlier of its earlier text; undefined if nothing answered that */
export function asksAnew(earlier: Route | undefined, now: Route): boolean {
  if (now.kind !== 'run') return now.kind === 'reply' && earlier === undefined;
  if (earlier?.kind !== 'run' || earlier.command !== now.command) return true;
  if (now.addresses.length === 0) return earlier.text.trim() !== now.text.trim();
  return now.addresses.some((address) => !earlier.addresses.includes(address));
}

/** Whether a text begins with a slash and a command. */
export const isSlashCommand = (text: string) => /^\s*\//.test(text) && read.findCommand(text) !== undefined;

const FOR_ADMINS: ReadonlySet<string> = new Set<read.CommandName>(['alerts', 'autoreply']);

type Context = Sent & {
  known: Known;
  allowsUsers: boolean;
  canWatch: boolean;
  own: read.Reading;
  beside: FoundAddresses;
};

type Rule = { when(context: Context): unknown; to(context: Context): Route };

const SILENCE: Route = { kind: 'silence' };

const RULES: readonly Rule[] = [
  { when: (c) => c.submission, to: press },
  { when: (c) => !c.isAddressed, to: (c) => (hasAny(c.own) ? lookUp(c, c.own) : SILENCE) },
  { when: (c) => takesAll(c.own), to: (c) => runTyped(c.own) },
  { when: asksToWatch, to: watchOrStop },
  { when: (c) => offered(c) && c.own.speech === 'yes', to: (c) => lookUp(c, offered(c)) },
  { when: (c) => offered(c) && c.own.speech === 'no', to: (c) => ask(c, texts.no) },
  { when: (c) => c.own.user && !hasAny(c.own), to: lookUpUser },
  { when: (c) => read.nearestCommand(c.own)?.name === 'fields', to: suggest },
  { when: (c) => hasAny(c.own), to: (c) => lookUp(c, c.own) },
  { when: (c) => c.own.leftOut.length > 0, to: (c) => reply({ text: texts.notesOn(c.own, '').join('') }) },
  { when: (c) => c.own.command && !isForDevices(c.own) && !hasSuspects(c.own), to: (c) => runTyped(c.own) },
  { when: (c) => c.own.speech === 'thanks', to: (c) => (c.isPersonal ? reply(texts.welcome) : SILENCE) },
  { when: (c) => c.known.isConnecting && !c.own.command, to: (c) => run('connect', c.text) },
  { when: (c) => c.own.speech === 'status', to: () => run('status', '') },
  { when: (c) => isUnseen(c), to: (c) => reply({ text: texts.cannotSee(c.unseen) }) },
  { when: (c) => hasAny(c.beside) && asksOfQuote(c.own), to: (c) => lookUp(c, c.beside) },
  { when: (c) => meant(c.own, c.known.recent), to: (c) => lookUp(c, meant(c.own, c.known.recent)) },
  { when: (c) => meant(c.own, c.known.elsewhere), to: (c) => offer(c, meant(c.own, c.known.elsewhere)) },
  { when: (c) => hasSuspects(c.own), to: (c) => offer(c, { addresses: c.own.suspects }) },
  { when: (c) => hasAny(c.beside), to: (c) => offer(c, c.beside) },
  { when: (c) => hasSuspects(c.beside), to: (c) => offer(c, { addresses: c.beside.suspects }) },
  { when: (c) => c.isCut, to: () => reply({ text: texts.onlyFirstPart(true) }) },
  { when: (c) => c.own.asksToChange, to: (c) => ask(c, texts.onlyReads) },
  { when: (c) => isMeantAsAddress(c.own), to: (c) => reply(texts.faultMessage(c.own.faults)) },
  { when: (c) => isFollowUp(c.own), to: (c) => ask(c, texts.forgotten) },
  { when: (c) => isForDevices(c.own) && read.isBare(c.own.command?.text), to: (c) => ask(c, texts.which) },
  { when: (c) => isForDevices(c.own) || asksByName(c.text), to: () => reply(texts.byAddress) },
  { when: (c) => c.own.speech === 'yes' || c.own.speech === 'no', to: (c) => ask(c, texts.which) },
  { when: (c) => c.own.speech === 'greeting' || !hasWords(c.text), to: () => reply(texts.greeting) },
  { when: (c) => read.nearestCommand(c.own), to: suggest },
];

type Found = { addresses: readonly DeviceAddress[] } & Partial<FoundAddresses>;

const hasAny = ({ addresses }: Found) => addresses.length > 0;
const hasSuspects = ({ suspects }: FoundAddresses) => suspects.length > 0;
const hasWords = (text = '') => /[\p{L}\p{N}]/u.test(text);
const isForDevices = ({ command }: read.Reading) => command?.name === 'lookup' || command?.name === 'fields';
const isUnseen = (c: Context) => c.unseen.length > 0 && !hasSuspects(c.own) && !hasAny(c.beside);

/** The addresses of the bot's open "Did you mean ...?". */
function offered({ known: { pending } }: Context): Found | undefined {
  return pending && hasAny(pending) ? pending : undefined;
}

/** Whether everything behind the command belongs to it. */
function takesAll({ command }: read.Reading): boolean {
  return command?.name === 'connect' || (command?.name === 'alerts' && /^test\s/i.test(command.text));
}

/** Whether a message means devices that were asked for before: "again", "why?", "and 08", `fields`, "quarantine it". */
function isFollowUp({ speech, tails, command, asksToChange, text }: read.Reading): boolean {
  if (speech === 'again' || speech === 'question' || tails.length > 0) return true;
  if (command?.name === 'fields') return read.isBare(command.text);
  return asksToChange && /\b(?:it|this|that|them|these|those|the \w+)\b/i.test(text);
}

/** The devices that a follow-up means among those that were asked for; undefined: none. */
function meant(own: read.Reading, devices: readonly AskedDevice[]): Found | undefined {
  const [first] = devices;
  if (!first || !isFollowUp(own)) return undefined;
  if (own.tails.length === 0) return { addresses: devices.map(({ asked }) => asked) };
  const bases = [first.address, first.asked];
  const addresses = own.tails.flatMap((tail) =>
    bases.flatMap((base) => completeTail(base, tail)).slice(0, 1),
  );
  return addresses.length > 0 ? { addresses } : undefined;
}

/** Whether the words ask for the devices of the quote beside them. */
function asksOfQuote(own: read.Reading): boolean {
  return isFollowUp(own) || read.isBare(isForDevices(own) ? own.command?.text : own.text);
}

/** Whether a word is meant as an address: numbers in other messages resemble a part of one too. */
function isMeantAsAddress(own: read.Reading): boolean {
  const isNear = own.faults.some(({ fault }) => fault.kind === 'pairs');
  return own.faults.length > 0 && (isNear || isForDevices(own) || !/\s/.test(own.text.trim()));
}

/** Whether a text asks for a device by something else: "pos-17", "which port is Megan on?", "what is on Gi1/0/15?". */
function asksByName(text: string): boolean {
  if (/^\W*(?:who|whose|where|which)\b/i.test(text)) return true;
  const isShort = /^\s*\S{1,80}\s*$|^\W*(?:what|is|does|are|port|vlan|switch|host)\b[^\n]{1,100}$/i.test(
    text,
  );
  return isShort && /[\d@\\_]|\w-\w/.test(text);
}

function reply(message: Message, pending?: Pending): Route {
  return { kind: 'reply', message, ...(pending && { pending }) };
}

function run(command: read.CommandName, text: string, changes: Partial<Run> = {}): Run {
  return { kind: 'run', command, text, addresses: [], notes: [], ...changes };
}

/** `help whois` explains `lookup`. */
function runTyped({ command: { name, text } = { name: 'help', text: '' } }: read.Reading): Run {
  return run(name, name === 'help' ? (read.findCommand(text)?.name ?? text) : text);
}

/** The command for addresses. */
function commandFor({ own, known }: Context): Pending['command'] {
  return own.command?.name === 'fields' || (!own.command && known.pending?.command === 'fields')
    ? 'fields'
    : 'lookup';
}

/** Asks for an address. */
const ask = (c: Context, message: Message) => reply(message, { command: commandFor(c), addresses: [] });

/** Offers addresses, which "yes" asks for. */
function offer(c: Context, { addresses }: Found = { addresses: [] }): Route {
  const command = commandFor(c);
  return reply(texts.didYouMean(addresses, command), { command, addresses });
}

/** `fields` shows one device. */
function lookUp(c: Context, { addresses, ...others }: Found = { addresses: [] }, first: string[] = []): Run {
  const command = c.isAddressed ? commandFor(c) : 'lookup';
  const asked = command === 'fields' ? addresses.slice(0, 1) : addresses;
  const second = addresses
    .slice(asked.length)
    .map((address) => ({ address, role: 'fields shows one device' }));
  const leftOut = [...second, ...(others.leftOut ?? [])];
  const only = c.own.asksToChange ? [texts.ONLY_READS] : [];
  const notes = [...first, ...only, ...texts.notesOn({ ...others, leftOut })];
  return run(command, c.text, { addresses: asked, notes });
}

function lookUpUser({ own: { text, user }, allowsUsers }: Context): Route {
  return allowsUsers && user ? run('lookup', text, { addresses: [user] }) : reply(texts.usersOff);
}

const isWatching = (name: unknown) => name === 'watch' || name === 'watching' || name === 'unwatch';

function asksToWatch({ own, known }: Context): boolean {
  const isAnswer = known.pending?.command === 'watch' && own.command === undefined && hasAny(own);
  return own.asksToWatch || isWatching(own.command?.name) || isAnswer;
}

/** "tell me when it is back" and "watch this" mean the devices of the thread's last answer. */
function watchOrStop(c: Context): Route {
  const { own, beside, known, canWatch, text } = c;
  const { name, text: behind } = own.command ?? { name: 'watch', text };
  if (!canWatch) return hasAny(own) ? lookUp(c, own, [texts.WATCH_OFF]) : reply(texts.watchOff);
  const isPlain = name === 'watching' || /^\W*(?:all|everything|mine|please)?\W*$/i.test(behind);
  if (name !== 'watch' && (hasAny(own) || isPlain)) return run(name, behind, { addresses: own.addresses });
  const isAboutLast = own.asksToWatch || /^\W*(?:it|this|that|them|these|those)\W*$/i.test(behind);
  const last = isAboutLast ? known.recent.map(({ address }) => address) : [];
  const found = [own, beside, { addresses: last }].find(hasAny);
  if (found) return run(name, text, { addresses: found.addresses, notes: texts.notesOn(own) });
  if (hasSuspects(own)) return offer(c, { addresses: own.suspects });
  if (own.leftOut.length > 0) return reply({ text: texts.notesOn(own, '').join('') });
  if (own.faults.length > 0) return reply(texts.faultMessage(own.faults));
  return reply(texts.which, { command: 'watch', addresses: [] });
}

function suggest({ own }: Context): Route {
  const { name, rest } = read.nearestCommand(own) ?? { name: 'help', rest: '' };
  return reply(texts.suggest(name, rest));
}

/** A button of ours holds a few kilobytes; a forged one need not be searched whole. */
function press({ submission, text, allowsUsers, canWatch }: Context): Route {
  const { dialog, text: sent } = submission?.data ?? {};
  const typed = typeof sent === 'string' ? firstPart(sent).text : text;
  if (!read.isCommandName(dialog)) return reply(texts.unknown);
  if (isWatching(dialog) && !canWatch) return reply(texts.watchOff);
  if (isWatching(dialog)) return run(dialog, typed, { addresses: readAddresses(typed, 'asked').addresses });
  if (dialog !== 'lookup' && dialog !== 'fields') return run(dialog, typed);
  const { user } = read.readMessage(`lookup ${typed}`, 'asked');
  if (user && !allowsUsers) return reply(texts.usersOff);
  const addresses = user ? [user] : readAddresses(typed, 'asked').addresses;
  return hasAny({ addresses })
    ? run(dialog, typed, { addresses })
    : reply(texts.which, { command: dialog, addresses });
}
