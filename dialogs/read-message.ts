import { closest, distance } from 'fastest-levenshtein';
import { readAddresses, type UserQuery } from '../src/domain/device-address.ts';
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
/** `text`: behind the command; empty if it adds nothing. */
export type TypedCommand = { name: CommandName; text: string };
const DEVICE_COMMANDS: readonly DeviceCommand[] = ['lookup', 'fields', 'watch', 'unwatch'];

/** Words before a command that change nothing: "hey @Bot, can you please check ...". */
const POLITE =
  /^[^\p{L}\p{N}]*(?:(?:hi|hey|hello|hm+|oh|ok|okay|so|and|but|then|now|just|please|pls|plz|bot|(?:can|could|would|will) (?:yo)?u|(?:i|we) (?:want|need)(?: you)?(?: to)?|let me|do you know|(?:tell|give) me)(?![\p{L}\p{N}])[^\p{L}\p{N}]*)*/iu;
const CLEAR = '[\\da-f]{2}(?:[:-][\\da-f]{2}){5}|[\\da-f]{4}(?:\\.[\\da-f]{4}){2}';
/** The end of a command's words. An address can follow without a space: `mac001b54000003`. */
const END = `(?:(?![\\p{L}\\p{N}_-])|(?=${CLEAR}|[\\da-f]{12}(?!\\w)))[:,]?\\s*`;
const NAMES = Object.keys(PHRASES) as CommandName[];
const PATTERNS = NAMES.map((name) => {
  const spaced = PHRASES[name].replace(/\s+\|/g, '|').replaceAll(' ', '[\\s-]+');
  return { name, start: new RegExp(`^(?:${spaced})${END}`, 'iu') };
});
const SYNONYMS = Object.values(PHRASES).flatMap((words) => words.split('|'));
/** The words that can be misspelt. */
const WORDS = [...NAMES, ...SYNONYMS.filter((word) => /^\w{5,}$/.test(word))];

/** "quarantine ...", "bounce the port of ...", "look it up and block it". */
const CHANGE =
  /(?:^|(?:\band|\bthen|\bplease|\bpls|(?<!\bhad )\bto|,|\b(?:can|could|would|will|should|must)(?: (?!not\b|never\b)\w+){1,2})\s+)(?:(?:un-?|de-?)?(?:quarantine|block|ban|lock|register)|isolate|kick|kill|terminate|revoke|bounce|(?:re|de)-?auth\w*|authori[sz]e|send|force|trigger|shut(?:down)?|close|disable|enable|release|reset|reboot|restart|power.?cycle|grant|(?:give|let) (?!me|us)|clear|delete|remove|whitelist|blacklist|allow|deny|permit|move|put|take|add|set|apply|assign|change|turn o(?:n|ff)|coa|disconnect|flap)\b/i;
const USER =
  /^(?:(?:for|the|of) )*(?:user ?name|user|login)[ :=]+["'“]?([^\s"'“”][^"“”\n]{0,99}?)["'”]?(?:,? (?:please|pls|plz))?[?.!\s]*$/i;

/** Three words or more with a clear address. Two can be a user name and a password. */
const SENTENCE = new RegExp(`^(?=\\S+\\s+\\S+\\s+\\S)[^]*?(?:${CLEAR})`, 'i');

/** "release it", "bounce the port", "ping me once back online": about devices that were asked for before. */
const MEANS_LAST =
  /\b(?:its?|this|that|they|them|these|those|both|the \w+|(?:when|once|soon as) (?:connected|back|online|up))\b/i;

/** A message's text, sorted. */
export type Reading = ReturnType<typeof readMessage>;

/** Reads a message. Nothing behind `connect` is read: it may be a password. Takes linear time. */
export function readMessage(text: string, reach: Reach) {
  const isAddressed = reach !== 'overheard';
  const command = isAddressed ? findCommand(text) : undefined;
  const { name, text: argument = withoutFillers(text) } = command ?? {};
  const isBare = argument === '';
  // `unwatch` alone stops a person's own watches.
  const deviceCommand = DEVICE_COMMANDS.find((each) => each === name && !(each === 'unwatch' && isBare));
  const asksToChange = isAddressed && CHANGE.test(text.slice(0, 200).replace(POLITE, ''));
  const asksToWatch = isAddressed && (!name || name === 'watch') ? readWatchRequest(argument) : undefined;
  const isAsked = name || asksToChange || asksToWatch;
  const found = readAddresses(name === 'connect' ? '' : argument, isAsked ? 'asked' : reach);
  const about = { ...found, text, command, deviceCommand, isBare, asksToChange, asksToWatch };
  if (found.addresses.length > 0)
    return { ...about, speech: undefined, tails: [], isFollowUp: false, user: undefined };
  const speech = speechOf(text, argument);
  const tails = found.suspects.length > 0 ? [] : readTails(text);
  const isMore = speech === 'yes' ? deviceCommand !== undefined : name === 'fields' && isBare; // "watch both"
  const isAboutLast = (asksToChange || asksToWatch !== undefined) && MEANS_LAST.test(text);
  const isFollowUp = speech === 'follow-up' || tails.length > 0 || isMore || isAboutLast;
  return { ...about, speech, tails, isFollowUp, user: readUser(argument, name !== undefined) };
}

function readUser(text: string, isBehind: boolean): UserQuery | undefined {
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
  if (outer?.name === 'connect' && SENTENCE.test(outer.text)) return undefined; // "Login incorrect: ..."
  const inner = outer?.name === 'lookup' ? commandAt(outer.text.replace(/^the\s+/i, '')) : undefined;
  return inner && !/lookup|connect$/.test(inner.name) ? inner : outer;
}

function commandAt(text: string): TypedCommand | undefined {
  const found = PATTERNS.find(({ start }) => start.test(text));
  // A phone's keyboard puts a full stop behind a sentence.
  const rest = found ? text.replace(found.start, '').replace(/(?<![.!…])[.!…]\s*$/, '') : '';
  return found && { name: found.name, text: withoutFillers(rest) };
}

/** Empty for a text that says nothing. */
const withoutFillers = (text: string) =>
  /^(?:please|pls|plz|all|everything|mine)?$/i.test(text.replace(/[^\p{L}\p{N}]+/gu, '')) ? '' : text;

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
  const word = closest(typed, WORDS);
  const name = commandAt(word)?.name;
  const slips = distance(typed, word) + Number(typed[0] !== word[0]);
  const isConnect = name === 'connect';
  const isMeant = ARGUMENTS.test(rest) || isCommandName(rest) || (isConnect && slips < 2);
  return name && isMeant && slips < 3 ? { name, text: isConnect ? '' : rest } : undefined;
}

/** The last pairs of an address, or its last number: `08`, `5A:08`, `:08`, `.108`. Longer ones lack a pair. */
const TAIL = /^(?=.*\d|:)(?::(?:[\da-f]{2}:){0,4}[\da-f]{2}|(?:[\da-f]{2}[:-]?)?[\da-f]{2}|\.\d{1,3}|\d{3})$/;

/** Reads the last parts of addresses in a short text: with a mark, or next to nothing but fillers. */
function readTails(text: string): string[] {
  const words = text.length > 100 ? [] : (text.toLowerCase().match(/[^\s,;?!&()]+/g) ?? []);
  const others = words.filter((word) => !FILLERS.has(word));
  const bare = others.map((word) => word.replace(/\.$/, '').replace(/^(?:\.{2,}|…|-):?/, ':'));
  const tails = bare.filter((word) => TAIL.test(word));
  return tails.length === others.length ? tails : tails.filter((tail) => /^[:.]/.test(tail));
}
