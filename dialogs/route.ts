import { type DeviceAddress, type FoundAddresses, readAddresses } from '../src/domain/device-address.ts';
import { completeTail } from '../src/domain/mistyped.ts';
import { firstPart } from '../src/domain/text.ts';
import type { ShownSettings, Turn } from './dialog.ts';
import * as texts from './lookup/question.ts';
import type { AskedDevice, Known, Pending } from './lookup/recent.ts';
import * as read from './read-message.ts';
import type { Message } from './render/message.ts';
import { readSpeech } from './speech.ts';

/** A message as data. */
export type Sent = Pick<Turn, 'text' | 'isCut' | 'isPersonal' | 'isAdmin' | 'submission'> & {
  /** The texts beside the person's own words: a quote, a forwarded message, a card, a code snippet. Can be empty. */
  quoted: string;
  unseen: readonly texts.Unseen[];
  /** Whether it is meant for the bot, and not for other people. */
  isAddressed: boolean;
};

type Run = Pick<Turn, 'text' | 'addresses' | 'notes'> & { kind: 'run'; command: read.CommandName };
/** `pending`: the reply asks something itself. */
export type Route = Run | { kind: 'reply'; message: Message; pending?: Pending } | { kind: 'silence' };

/** The settings that a route depends on. */
type Allowed = Pick<ShownSettings, 'allowsUsers' | 'canWatch'>;

/** Chooses the command that a message means, or the reply: the first rule that holds. */
export function route(sent: Sent, known: Known, allowed: Allowed): Route {
  const context = contextOf(sent, known, allowed);
  const chosen = RULES.find(({ when }) => when(context))?.to(context) ?? reply(texts.unknown);
  const isForAdmins = chosen.kind === 'run' && read.kindOf(chosen.command) === 'admin';
  return isForAdmins && !sent.isAdmin ? reply(texts.forAdmins) : chosen;
}

type Context = ReturnType<typeof contextOf>;

function contextOf(sent: Sent, { recent, elsewhere, ...known }: Known, allowed: Allowed) {
  const text = textOf(sent, known.pending);
  const asked = known.pending && known.pending.suggested === undefined ? 'asked' : 'addressed';
  const own = read.readMessage(text, sent.isAddressed ? asked : 'overheard');
  const beside = readAddresses(sent.quoted, 'addressed');
  const suspects = [meant(own, elsewhere), own.suspects, beside.addresses, beside.suspects];
  return {
    ...sent,
    ...known,
    ...allowed,
    text,
    own,
    nearest: read.nearestCommand(own),
    beside,
    last: recent,
    /** Those of them that the message means. */
    again: meant(own, recent),
    perhaps: suspects.find(isSome) ?? [],
  };
}

/** Returns a pressed button's command and text, and the suggested command for "yes". A forged button's text can be long. */
function textOf({ submission, text }: Sent, pending: Pending | undefined): string {
  const { dialog, text: sent } = submission?.data ?? {};
  if (read.isCommandName(dialog))
    return `${dialog} ${typeof sent === 'string' ? firstPart(sent).text : text}`;
  const speech = pending?.suggested && readSpeech(text);
  const isYes = speech === 'yes' || (speech === 'thanks' && /^\s*[👍👌]/u.test(text));
  return pending?.suggested && isYes ? pending.suggested : text;
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

const SILENCE: Route = { kind: 'silence' };

const RULES: ReadonlyArray<{ when(context: Context): unknown; to(context: Context): Route }> = [
  {
    when: (c) => c.submission && !read.isCommandName(c.submission.data.dialog),
    to: () => reply(texts.unknown),
  },
  { when: (c) => !c.isAddressed, to: (c) => (isSome(c.own.addresses) ? lookUp(c, c.own) : SILENCE) },
  { when: (c) => takesAll(c.own), to: (c) => runTyped(c.own) },
  { when: asksToWatch, to: watchOrStop },
  { when: (c) => c.pending?.suggested && c.own.speech === 'no', to: (c) => ask(c, texts.no) },
  { when: (c) => c.own.user, to: lookUpUser },
  { when: (c) => /fields|watch/.test(c.nearest?.name ?? ''), to: suggest },
  { when: (c) => isSome(c.own.addresses), to: (c) => lookUp(c, c.own) },
  { when: (c) => isSome(c.own.leftOut), to: (c) => reply({ text: texts.notesOn(c.own, '').join('') }) },
  { when: (c) => isOther(c.own) && !isSome(c.own.suspects), to: (c) => runTyped(c.own) },
  { when: (c) => c.own.speech === 'thanks', to: (c) => (c.isPersonal ? reply(texts.welcome) : SILENCE) },
  { when: (c) => c.isConnecting && !c.own.command, to: (c) => run('connect', c.text) },
  { when: (c) => c.own.speech === 'status', to: () => run('status', '') },
  {
    when: (c) => isSome(c.unseen) && !isSome(c.own.suspects) && !isSome(c.beside.addresses),
    to: (c) => reply({ text: texts.cannotSee(c.unseen) }),
  },
  { when: (c) => isSome(c.beside.addresses) && asksOfQuote(c.own), to: (c) => lookUp(c, c.beside) },
  { when: (c) => isSome(c.again), to: (c) => lookUp(c, { addresses: c.again }) },
  { when: (c) => isSome(c.perhaps), to: offer },
  { when: (c) => c.isCut, to: () => reply({ text: texts.onlyFirstPart(true) }) },
  { when: (c) => c.own.asksToChange, to: (c) => ask(c, texts.onlyReads) },
  { when: (c) => isMeantAsAddress(c.own), to: (c) => reply(texts.faultMessage(c.own.faults)) },
  { when: (c) => isFollowUp(c.own), to: (c) => ask(c, texts.forgotten) },
  { when: (c) => isForDevices(c.own) && read.isBare(c.own.command?.text), to: (c) => ask(c, texts.which) },
  { when: (c) => isForDevices(c.own) || asksByName(c.text), to: () => reply(texts.byAddress) },
  { when: (c) => c.own.speech === 'yes' || c.own.speech === 'no', to: (c) => ask(c, texts.which) },
  {
    when: (c) => c.own.speech === 'greeting' || !/[\p{L}\p{N}]/u.test(c.text),
    to: () => reply(texts.greeting),
  },
  { when: (c) => c.nearest, to: suggest },
];

const isSome = (list: readonly unknown[]) => list.length > 0;
const isForDevices = ({ command }: read.Reading) => command?.kind === 'device';
const isOther = ({ command }: read.Reading) => command && command.kind !== 'device';

function takesAll({ command }: read.Reading): boolean {
  return command?.name === 'connect' || (command?.name === 'alerts' && /^test\s/i.test(command.text));
}

/** Whether a message means devices that were asked for before: "again", "why?", "and 08", `fields`, "quarantine it". */
function isFollowUp({ speech, tails, command, asksToChange, text }: read.Reading): boolean {
  if (speech === 'again' || speech === 'question' || isSome(tails)) return true;
  if (command?.name === 'fields') return read.isBare(command.text);
  return asksToChange && /\b(?:its?|this|that|them|these|those|the \w+)\b/i.test(text);
}

function meant(own: read.Reading, devices: readonly AskedDevice[]): DeviceAddress[] {
  const [first] = devices;
  if (!first || !isFollowUp(own)) return [];
  if (!isSome(own.tails)) return devices.map(({ asked }) => asked);
  const complete = (tail: string) => [first.address, first.asked].flatMap((base) => completeTail(base, tail));
  return own.tails.flatMap((tail) => complete(tail).slice(0, 1));
}

function asksOfQuote(own: read.Reading): boolean {
  return isFollowUp(own) || read.isBare(isForDevices(own) ? own.command?.text : own.text);
}

/** Whether a word is meant as an address: numbers in other messages resemble a part of one too. */
function isMeantAsAddress(own: read.Reading): boolean {
  const isNear = own.faults.some(({ fault }) => fault.kind === 'pairs');
  return isSome(own.faults) && (isNear || isForDevices(own) || !/\s/.test(own.text.trim()));
}

/** A word, or a question about a thing with a name. */
const SHORT = /^\s*\S{1,80}\s*$|^\W*(?:what|is|does|are|port|vlan|switch|host)\b[^\n]{1,100}$/i;

/** Whether a text asks for a device by something else: "pos-17", "which port is Megan on?", "what is on Gi1/0/15?". */
function asksByName(text: string): boolean {
  return /^\W*(?:who|whose|where|which)\b/i.test(text) || (SHORT.test(text) && /[\d@\\_]|\w-\w/.test(text));
}

function reply(message: Message, pending?: Pending): Route {
  return { kind: 'reply', message, ...(pending && { pending }) };
}

function run(command: read.CommandName, text: string, changes: Partial<Run> = {}): Run {
  return { kind: 'run', command, text, addresses: [], notes: [], ...changes };
}

/** `help whois` explains `lookup`. */
function runTyped({ command }: read.Reading): Run {
  const { name = 'help', text = '' } = command ?? {};
  if (read.isBare(text)) return run(name, '');
  return run(name, name === 'help' ? (read.findCommand(text)?.name ?? text) : text);
}

function commandFor({ own, pending }: Context): Pending['command'] {
  const isForFields = own.command ? own.command.name === 'fields' : pending?.command === 'fields';
  return isForFields ? 'fields' : 'lookup';
}

function ask(c: Context, message: Message, command = commandFor(c)): Route {
  return reply(message, { command, suggested: undefined });
}

function offer(c: Context): Route {
  const command = commandFor(c);
  const suggested = `${command} ${c.perhaps.join(' ')}`;
  return reply(texts.didYouMean(c.perhaps, command), { command, suggested });
}

/** `fields` shows one device. */
function lookUp(c: Context, { addresses = [], ...others }: Partial<FoundAddresses>): Run {
  const command = c.isAddressed ? commandFor(c) : 'lookup';
  const asked = command === 'fields' ? addresses.slice(0, 1) : addresses;
  const rest = addresses.slice(asked.length).map((address) => ({ address, role: 'fields shows one device' }));
  const leftOut = [...rest, ...(others.leftOut ?? [])];
  const notes = [
    ...(!c.canWatch && asksToWatch(c) ? [texts.WATCH_OFF] : []),
    ...(c.own.asksToChange ? [texts.ONLY_READS] : []),
    ...texts.notesOn({ ...others, leftOut }),
  ];
  return run(command, c.text, { addresses: asked, notes });
}

function lookUpUser(c: Context): Route {
  const { user } = c.own;
  return c.allowsUsers && user ? run(commandFor(c), c.text, { addresses: [user] }) : reply(texts.usersOff);
}

function suggest({ nearest }: Context): Route {
  const { name, rest } = nearest ?? { name: 'help', rest: '' };
  return reply(texts.suggest(name, rest), { command: 'lookup', suggested: `${name} ${rest}` });
}

function asksToWatch({ own, pending }: Context): boolean {
  const isAnswer = pending?.command === 'watch' && own.command === undefined && isSome(own.addresses);
  return own.asksToWatch || own.command?.kind === 'watch' || isAnswer;
}

/** "tell me when it is back" and "watch this" mean the devices of the thread's last answer. */
function watchOrStop(c: Context): Route {
  const { own, beside, text } = c;
  const { name, text: behind } = own.command ?? { name: 'watch', text };
  if (!c.canWatch) return isSome(own.addresses) ? lookUp(c, own) : reply(texts.watchOff);
  const isPlain = name === 'watching' || /^\W*(?:all|everything|mine|please)?\W*$/i.test(behind);
  const { addresses } = own;
  if (name !== 'watch' && (isSome(addresses) || isPlain)) return run(name, behind, { addresses });
  const isAboutLast = own.asksToWatch || /^\W*(?:it|this|that|them|these|those)\W*$/i.test(behind);
  const last = isAboutLast ? c.last.map(({ address }) => address) : [];
  const found = [addresses, beside.addresses, last].find(isSome);
  if (found) return run(name, text, { addresses: found, notes: texts.notesOn(own) });
  if (isSome(own.suspects)) return offer(c);
  if (isSome(own.leftOut)) return reply({ text: texts.notesOn(own, '').join('') });
  if (isSome(own.faults)) return reply(texts.faultMessage(own.faults));
  return ask(c, texts.which, 'watch');
}
