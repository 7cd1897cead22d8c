import { completeTail, type DeviceAddress, readAddresses } from '../src/domain/device-address.ts';
import { isGateway } from '../src/domain/mac-address.ts';
import { firstPart } from '../src/domain/text.ts';
import type { CommandName } from './commands/command.ts';
import type { ShownSettings, Turn } from './dialog.ts';
import type { DeviceCommand, KnownDevices, Pending } from './lookup/device-lookups.ts';
import * as replies from './lookup/replies.ts';
import * as read from './read-message.ts';
import type { Message } from './render/message.ts';

export type Sent = Pick<Turn, 'text' | 'isPersonal' | 'isAdmin' | 'isAddressed' | 'submission'> & {
  /** The texts besides the person's own words: a quote, a forwarded message, a card. Can be empty. */
  quoted: string;
  /** Whether pictures, files or the text of a quote did not come along. */
  hasUnseen: boolean;
  /** Whether it is longer than the searched part; undefined: it is not. */
  isCut?: boolean;
};

type Run = Pick<Turn, 'text' | 'addresses' | 'notes'> & { kind: 'run'; command: CommandName };
/** `pending`: the reply asks something itself. */
type Reply = { kind: 'reply'; message: Message; pending?: Pending | undefined };
export type Route = Run | Reply | { kind: 'silence' };

/** Chooses the command that a message means, or the reply. */
export function route(sent: Sent, known: KnownDevices, settings: Pick<ShownSettings, 'allowsUsers'>): Route {
  const text = textOf(sent, known.pending);
  const reach = known.pending?.kind === 'which device' ? 'asked' : 'addressed';
  const own = read.readMessage(text, sent.isAddressed ? reach : 'overheard');
  const chosen = choose({ ...sent, ...known, allowsUsers: settings.allowsUsers, text, own });
  const isForAdmins = chosen.kind === 'run' && /^(?:alerts|autoreply)$/.test(chosen.command);
  return isForAdmins && !sent.isAdmin ? reply(replies.forAdmins) : chosen;
}

type Context = Sent & KnownDevices & { own: read.Reading; allowsUsers: boolean };

function textOf({ submission, text }: Sent, pending: Pending | undefined): string {
  const { dialog, text: sent } = submission?.data ?? {};
  if (read.isCommandName(dialog))
    return `${dialog} ${typeof sent === 'string' ? firstPart(sent).text : text}`;
  return pending?.kind === 'did you mean' && isYes(text) ? pending.suggested : text;
}

const isYes = (text: string) => read.readSpeech(text) === 'yes' || /^\s*[👍👌]\P{L}*$/u.test(text);

/** A message's question as a text, so that an edit can be compared. Thousands are remembered: a part of a text keeps the whole in memory, a copy does not. */
export function askedBy(route: Route): string {
  if (route.kind !== 'run') return route.kind;
  const { command, addresses, text } = route;
  return Buffer.from(`${command} ${addresses.join(' ') || text.trim().slice(0, 1000)}`).toString();
}

/** Whether an edited message asks something new. @param earlier by its earlier text; undefined if nothing answered that */
export function asksSomethingNew(earlier: string | undefined, now: Route): boolean {
  return now.kind === 'run' ? earlier !== askedBy(now) : now.kind === 'reply' && earlier === undefined;
}

/** Whether a text begins with a slash and a command. */
export const isSlashCommand = (text: string) => /^\s*\//.test(text) && read.findCommand(text) !== undefined;

/** The first rule that holds. */
function choose(c: Context): Route {
  const { own, pending, text, hasUnseen } = c;
  const { command, deviceCommand, speech, suspects } = own;
  if (!c.isAddressed) return isSome(own.addresses) ? lookUp(c, own) : { kind: 'silence' };
  if (command?.name === 'connect') return run(command.name, command.text);
  if (pending && speech === 'no')
    return pending.kind === 'did you mean' ? ask(c, replies.no) : reply(replies.fine);
  const nearest = command ? undefined : read.nearestCommand(text);
  if (nearest && /fields|watch/.test(nearest.name)) return suggest(nearest);
  if (isSome(own.addresses)) return lookUp(c, own);
  if (own.user) return c.allowsUsers ? run(commandFor(c), text, [own.user]) : reply(replies.usersOff);
  if (isSome(own.leftOut) && !isSome(suspects)) return reply({ text: notesOn(own).join('') });
  if (command && !deviceCommand && !isSome(suspects)) return run(command.name, command.text);
  if (speech === 'thanks' && !deviceCommand)
    return c.isPersonal ? reply(replies.welcome) : { kind: 'silence' };
  if (pending?.kind === 'sign-in' && !command) return run('connect', text);
  if (speech === 'status') return run('status', '');
  const quoted = readAddresses(c.quoted, 'addressed');
  if (hasUnseen && !isSome(suspects) && !isSome(quoted.addresses)) return reply({ text: replies.CANNOT_SEE });
  if (isSome(quoted.addresses) && (own.isFollowUp || own.isBare)) return lookUp(c, quoted);
  const again = followUpDevices(own, c.recent);
  if (isSome(again)) return lookUp(c, { addresses: again });
  const guesses = [followUpDevices(own, c.elsewhere), suspects, quoted.addresses, quoted.suspects];
  const perhaps = guesses.find(isSome);
  if (perhaps) return offer(c, perhaps);
  if (c.isCut) return reply({ text: replies.onlyFirstPart(true) });
  if (own.asksToChange) return ask(c, replies.onlyReads);
  const [fault] = own.faults;
  if (fault) return reply(replies.faultMessage(fault));
  if (speech === 'greeting' || !/[\p{L}\p{N}]/u.test(text)) return reply(replies.greeting);
  const isAnswer = speech === 'yes' || speech === 'no';
  if (isAnswer && isSome(c.recent)) return reply(replies.fine);
  if (own.isBare || isAnswer || own.isFollowUp) return ask(c, replies.which(commandFor(c)));
  return nearest ? suggest(nearest) : reply(replies.unknown(c.allowsUsers));
}

const isSome = (list: readonly unknown[]) => list.length > 0;

function followUpDevices(own: read.Reading, devices: KnownDevices['recent']): DeviceAddress[] {
  const isWatch = own.asksToWatch !== undefined || /watch/.test(own.command?.name ?? '');
  const last = devices.slice(0, 1).flatMap(({ address, asked }) => [address, asked]);
  if (isSome(own.tails))
    return own.tails.flatMap((tail) => last.flatMap((base) => completeTail(base, tail)).slice(0, 1));
  return own.isFollowUp ? devices.map(({ asked, address }) => (isWatch ? address : asked)) : [];
}

const reply = (message: Message, pending?: Pending): Reply => ({ kind: 'reply', message, pending });

function run(command: CommandName, text: string, addresses: Run['addresses'] = []): Run {
  return { kind: 'run', command, text, addresses, notes: [] };
}

function commandFor({ own, pending, isAddressed }: Context): DeviceCommand {
  if (own.asksToWatch) return 'watch';
  const isAnswer = isAddressed && !own.command && pending && pending.kind !== 'sign-in';
  return isAnswer ? pending.command : (own.deviceCommand ?? 'lookup');
}

function ask(c: Context, message: Message): Reply {
  return reply(message, { kind: 'which device', command: commandFor(c) });
}

function offer(c: Context, perhaps: readonly DeviceAddress[]): Route {
  const command = commandFor(c);
  const suggested = `${command} ${perhaps.join(' ')}`;
  return reply(replies.didYouMean(perhaps, command), { kind: 'did you mean', command, suggested });
}

function lookUp(c: Context, found: Partial<read.Reading>): Run {
  const command = commandFor(c);
  const all = found.addresses ?? [];
  const addresses = command === 'fields' ? all.slice(0, 1) : all;
  const notes = notesOn(found, all.slice(addresses.length));
  if (c.own.asksToChange) notes.unshift(replies.ONLY_READS);
  if (c.isCut) notes.unshift(replies.onlyFirstPart());
  return { kind: 'run', command, text: c.own.asksToWatch ?? c.text, addresses, notes };
}

function suggest(command: read.TypedCommand): Route {
  const suggested = `${command.name} ${command.text}`;
  return reply(replies.suggest(command), { kind: 'did you mean', command: 'lookup', suggested });
}

/** More would make a note too long. */
const MAX_NAMED = 20;

/** Names the addresses that were not looked up, in one note or none. @param more those that a command for one device has too many */
export function notesOn(found: Partial<read.Reading>, more: readonly string[] = []): string[] {
  const named = [
    ...more.map((address) => `${address} (fields shows one device)`),
    ...(found.leftOut ?? []).map((address) => `${address} (an access point, switch or virtual gateway)`),
    ...(found.suspects ?? []).map((address) => `${address} (perhaps an address)`),
    ...(found.faults ?? []).map((word) => `${word} (no whole address)`),
  ];
  const list = [...new Set(named)].slice(0, MAX_NAMED).join(', ');
  const isGatewayAlone = named.length === found.leftOut?.filter(isGateway).length; // No device has its address.
  const advice = isGatewayAlone ? '' : ' If you mean one, send it alone.';
  return list === '' ? [] : [`I did not look up ${list}.${advice}`];
}
