import { distance } from 'fastest-levenshtein';
import { type FoundAddresses, readAddresses, type UserQuery } from '../src/domain/device-address.ts';
import type { Reach } from '../src/domain/sightings.ts';
import type { CommandName } from './commands/command.ts';
import type { DeviceCommand } from './lookup/recent.ts';
import { FILLERS, readSpeech, readWatchRequest, type Speech } from './speech.ts';

/** The pattern of each command's words at the beginning of a message, where a blank matches hyphens too. */
const PHRASES: Readonly<Record<CommandName, string>> = {
  watching:
    'watching|watches|watch list|watchlist|(?:what|which|who|show|list)(?: \\w+){0,4} watch(?:ing|es|ed)?',
  lookup: `lookup|look up|look at|look for|look into|find|trace|verify|search(?: for)?|check(?: on)?|show(?: me)?|get(?: me)?|query|locate|mac(?![\\s-]*addr)|session
    |where(?: is|['’]?s)|who(?: is| has|['’]?s)|whois`,
  fields: 'fields|field|details|detail|all fields|all details|more details|full details',
  unwatch: `unwatch|(?:stop|cancel|end|do not|don['’]?t) watch(?:ing|es)?(?: on)?|(?:stop|cancel|end) (?:the|my|all) watch(?:es)?(?: on)?
    |stop(?=\\W*$)`,
  watch: 'watch(?: for)?|start watching|keep watching|keep an eye on|monitor',
  recent: 'recent|history',
  status: "(?:what(?: is|[’']?s) )?(?:the )?(?:(?:nac|system) )?(?:status|health)",
  disconnect: 'disconnect|logout|logoff|log out|log off|sign out',
  connect: 'connect|login|logon|log in|log on|signin|sign in',
  alerts: 'alerts',
  autoreply: 'autoreply',
  help: 'help|commands|what can you|what do you|how do i(?! (?!use\\b)\\w+ (?:it|this|that|them)\\b)|how does this|how does it work|who are you',
};
export type TypedCommand = { name: CommandName; text: string };

/** Whether addresses and follow-ups behind a command are its devices. `unwatch` alone stops a person's own watches. */
export const isForDevices = (
  command: TypedCommand | undefined,
): command is TypedCommand & { name: DeviceCommand } =>
  /^(?:lookup|fields|watch|unwatch)$/.test(command?.name ?? '') &&
  !(command?.name === 'unwatch' && isBare(command.text));
export const isForAdmins = (name: CommandName) => /^(?:alerts|autoreply)$/.test(name);

/** Words before a command that change nothing: "hey @Bot, can you please check ...". */
const POLITE =
  /^[^\p{L}\p{N}]*(?:(?:hi|hey|hello|hm+|oh|ok|okay|so|and|but|then|now|just|please|pls|plz|bot|(?:can|could|would|will) (?:yo)?u|(?:i|we) (?:want|need)(?: you)?(?: to)?|let me|do you know|(?:tell|give) me)(?![\p{L}\p{N}])[^\p{L}\p{N}]*)*/iu;
const CLEAR = '[\\da-f]{2}(?:[:-][\\da-f]{2}){5}|[\\da-f]{4}(?:\\.[\\da-f]{4}){2}';
/** The end of a command's words. An address can follow without a space: `mac001b54000003`. */
const END = `(?:(?![\\p{L}\\p{N}_-])|(?=${CLEAR}|[\\da-f]{12}(?!\\w)))[:,]?\\s*`;
const PATTERNS = (Object.keys(PHRASES) as CommandName[]).map((name) => {
  const words = PHRASES[name].replace(/\s+\|/g, '|');
  const spaced = words.replaceAll(' ', '[\\s-]+');
  const start = new RegExp(`^(?:${spaced})${END}`, 'iu');
  const synonyms = words.replace(/\(.*?\)\??/g, '').split('|');
  return { name, start, words: [name, ...synonyms.filter(({ length }) => length > 4)] };
});
/** "quarantine ...", "bounce the port of ...", "look it up and block it". */
const CHANGE =
  /(?:^|(?:\band|\bthen|\bplease|\bpls|(?<!\bhad )\bto|,|\b(?:can|could|would|will|should|must)(?: (?!not\b|never\b)\w+){1,2})\s+)(?:(?:un-?|de-?)?(?:quarantine|block|ban|lock|register)|isolate|kick|kill|terminate|revoke|bounce|(?:re|de)-?auth\w*|authori[sz]e|send|force|trigger|shut(?:down)?|close|disable|enable|release|reset|reboot|restart|power.?cycle|grant|(?:give|let) (?!me|us)|clear|delete|remove|whitelist|blacklist|allow|deny|permit|move|put|take|add|set|apply|assign|change|turn o(?:n|ff)|coa|disconnect|flap)\b/i;
const USER =
  /^(?:(?:for|the|of) )*(?:user ?name|user|login)[ :=]+["'“]?([^\s"'“”][^"“”\n]{0,99}?)["'”]?(?:,? (?:please|pls|plz))?[?.!\s]*$/i;

/** Three words or more with a clear address. Two can be a user name and a password. */
const SENTENCE = new RegExp(`^(?=\\S+\\s+\\S+\\s+\\S)[^]*?(?:${CLEAR})`, 'i');

/** A message's text, sorted. */
export type Reading = FoundAddresses & {
  text: string;
  command: TypedCommand | undefined;
  speech: Speech | undefined;
  /** The last parts of an address: "and 08", "same for :01"; perhaps such parts: "I meant 08". */
  tails: string[];
  areTailsClear: boolean;
  user: UserQuery | undefined;
  /** Whether it asks to change the network. */
  asksToChange: boolean;
  /** It asks for a message when a device connects, or when it changes. */
  asksToWatch: 'connects' | 'changes' | undefined;
};

/** Reads a message. Nothing behind `connect` is read: it may be a password. Takes linear time. */
export function readMessage(text: string, reach: Reach): Reading {
  const isAddressed = reach !== 'overheard';
  const typed = isAddressed ? findCommand(text) : undefined;
  const isLogLine = typed?.name === 'connect' && SENTENCE.test(typed.text); // "Login incorrect: ..."
  const command = isLogLine ? undefined : typed;
  const { name, text: argument = text } = command ?? {};
  const asksToChange = isAddressed && CHANGE.test(text.slice(0, 200).replace(POLITE, ''));
  const asksToWatch = isAddressed && (!name || name === 'watch') ? readWatchRequest(argument) : undefined;
  const isAsked = name || asksToChange || asksToWatch;
  const found = readAddresses(name === 'connect' ? '' : argument, isAsked ? 'asked' : reach);
  const isNamed = found.addresses.length > 0;
  const user = isNamed ? undefined : readUser(argument, name !== undefined);
  const speech = isNamed ? undefined : speechOf(text, argument);
  const tails = isNamed || found.suspects.length > 0 ? NO_TAILS : readTails(text);
  return { ...found, ...tails, text, command, user, speech, asksToChange, asksToWatch };
}

function readUser(text: string, isBehind: boolean): Reading['user'] {
  const [, name = ''] = USER.exec(text.slice(0, 200)) ?? [];
  const bare = name.replace(/^[^\\]*\\/, '').trim(); // The NAC takes no domain.
  return /^\.*$/.test(bare) || (!isBehind && /\s/.test(name)) ? undefined : `user ${bare}`;
}

function speechOf(text: string, argument: string): Speech | undefined {
  const whole = readSpeech(text) ?? readSpeech(argument.replace(POLITE, ''));
  const [clause = ''] = text.length < 200 ? (/[^.,;:!]*$/.exec(text) ?? []) : [];
  const last = readSpeech(clause.replace(POLITE, '')); // "I rebooted it, check again"
  return whole ?? (last === 'follow-up' ? last : undefined);
}

/** Finds the command at the start of a text. "show status" is `status`; nobody says "show connect". */
export function findCommand(text: string): TypedCommand | undefined {
  const outer = commandAt(text.replace(POLITE, ''));
  const inner = outer?.name === 'lookup' ? commandAt(outer.text.replace(/^the\s+/i, '')) : undefined;
  return inner && !/lookup|connect$/.test(inner.name) ? inner : outer;
}

function commandAt(text: string): TypedCommand | undefined {
  const { name, start } = PATTERNS.find((each) => each.start.test(text)) ?? {};
  // A phone's keyboard puts a full stop behind a sentence.
  return name && start && { name, text: text.replace(start, '').replace(/(?<![.!…])[.!…]\s*$/, '') };
}

/** Whether a text behind a command adds nothing to it. */
export const isBare = (text = '') =>
  /^[^\p{L}\p{N}]*(?:please|pls|plz|all|everything|mine)?[^\p{L}\p{N}]*$/iu.test(text);

export const isCommandName = (name: unknown): name is CommandName =>
  typeof name === 'string' && Object.hasOwn(PHRASES, name);

/** Behind a command stands nothing, an argument or addresses. Other words make a sentence. */
const ARGUMENTS = /^(?:[\da-f.:,;\s-]*|send|drop|on|off|list|here|here as [\w-]{1,40})(?:please)?$/i;

/**
 * Returns the command whose name or synonym is nearest to a misspelt word, with an argument or addresses behind it. At most two
 * letters are wrong, the first counts twice. Nothing is repeated of the text behind `connect`: it may be a password.
 */
export function nearestCommand(text: string): TypedCommand | undefined {
  const polite = text.replace(POLITE, '');
  const [typed = ''] = /^\p{L}{4,32}(?![\p{L}\p{N}])/u.exec(polite.toLowerCase()) ?? [];
  const rest = polite.slice(typed.length).trim();
  const slipsIn = (word: string) => distance(typed, word) + Number(typed[0] !== word[0]);
  const all = PATTERNS.flatMap(({ name, words }) => words.map((word) => ({ name, slips: slipsIn(word) })));
  const { name, slips } = all.reduce((least, each) => (each.slips < least.slips ? each : least));
  const isConnect = name === 'connect';
  const isMeant = ARGUMENTS.test(rest) || isCommandName(rest) || (isConnect && slips < 2);
  return isMeant && slips < 3 ? { name, text: isConnect ? '' : rest } : undefined;
}

/** The last pairs of an address, or its last number: `08`, `5A:08`, `:08`, `...:08`, `.108`. Longer ones lack a pair. */
const TAIL =
  /^(?=.*\d|:)(?:(?:\.{2,}|…|-)?(?::(?:[\da-f]{2}:){0,4}[\da-f]{2}|(?:[\da-f]{2}[:-]?)?[\da-f]{2})|\.?\d{1,3})$/;

const NO_TAILS = { tails: [], areTailsClear: false };

/** Reads the last parts of addresses in a short text. Clear ones have a mark, or nothing but fillers or a question mark. */
function readTails(text: string): Pick<Reading, 'tails' | 'areTailsClear'> {
  const words = text.length > 100 ? [] : (text.toLowerCase().match(/[^\s,;?!&()]+/g) ?? []);
  const others = words.filter((word) => !FILLERS.has(word)).map((word) => word.replace(/\.$/, ''));
  const tails = others.filter((word) => TAIL.test(word)).map((word) => word.replace(/^(?:\.{2,}|…|-)/, ':'));
  const marked = tails.filter((tail) => /^[:.]/.test(tail));
  const isAlone = tails.length === others.length && (words.length > tails.length || text.includes('?'));
  const areTailsClear = tails.length > 0 && (isAlone || marked.length > 0);
  return { tails: isAlone || marked.length === 0 ? tails : marked, areTailsClear };
}
