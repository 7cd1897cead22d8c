import { distance } from 'fastest-levenshtein';
import {
  type FoundAddresses,
  NO_ADDRESSES,
  readAddresses,
  type UserQuery,
} from '../src/domain/device-address.ts';
import type { Reach } from '../src/domain/standing.ts';
import { readSpeech, type Speech, wordSet } from './speech.ts';
import { readWatchRequest } from './watch/request.ts';

/** The words for each command, at the beginning of a message. */
const COMMANDS = {
  lookup: `lookup|look up|look at|find|search(?: for)?|check(?: on)?|show(?: me)?|get(?: me)?|query|locate|mac|session
    |where(?: is|['’]?s)|who(?: is| has|['’]?s)|whois`,
  fields: 'fields|field|all fields|details|detail|more details|all details',
  watching: 'watching|watches|watch ?list',
  unwatch: 'unwatch|stop watching',
  watch: 'watch|keep an eye on',
  recent: 'recent|history',
  status: "(?:what(?: is|[’']?s) )?(?:the )?(?:(?:nac|system) )?(?:status|health)",
  disconnect: 'disconnect|logout|logoff|log out|log off|sign out',
  connect: 'connect|login|logon|log in|log on|signin|sign in',
  alerts: 'alerts',
  autoreply: 'autoreply',
  help: 'help|commands|what can you|what do you|how do i|how does this|how does it work|who are you',
};
export type CommandName = keyof typeof COMMANDS;
export type Command = { name: CommandName; text: string };

/** Words before a command that change nothing: "hey @Bot, can you please check ...". */
const POLITE =
  /^[^\p{L}\p{N}]*(?:(?:hi|hey|hello|ok|okay|so|and|but|then|now|just|please|pls|plz|bot|(?:can|could|would|will) you|(?:i|we) (?:want|need)(?: you)?(?: to)?|let me|do you know|tell me)(?![\p{L}\p{N}])[^\p{L}\p{N}]*)*/iu;
/** An address that is typed right behind a command: `lookup00:1B:54:00:00:03`. */
const GLUED = '[\\da-f]{2}(?:[:-][\\da-f]{2}){5}|[\\da-f]{4}(?:\\.[\\da-f]{4}){2}';
const PATTERNS = (Object.keys(COMMANDS) as CommandName[]).map((name) => {
  const words = COMMANDS[name].replace(/\s+\|/g, '|').replaceAll(' ', '[\\s-]+');
  return { name, pattern: new RegExp(`^(?:${words})(?:(?![\\p{L}\\p{N}_-])|(?=${GLUED}))[:,]?\\s*`, 'iu') };
});
/** "quarantine ...", "bounce the port of ...", "look it up and block it". */
const CHANGE =
  /(?:^|(?:\band|\bthen|\bplease|\bpls|\byou|\bto|,)\s+)(?:(?:un-?)?(?:quarantine|block|ban|lock|register)|isolate|kick|kill|terminate|revoke|bounce|(?:re|de)-?auth\w*|authori[sz]e|send|force|trigger|shut(?:down)?|close|disable|enable|release|reset|reboot|restart|clear|delete|remove|whitelist|blacklist|allow|deny|permit|move|put|take|add|set|apply|assign|change|turn o(?:n|ff)|coa|disconnect|flap)\b/i;
const USER =
  /^(?:(?:for|the|of) )*(?:user ?name|user|login)[ :=]+["'“]?([^\s"'“”][^"“”\n]{0,99}?)["'”]?(?:,? (?:please|pls|plz))?[?.!\s]*$/i;

/** A message's text, sorted. */
export type Reading = FoundAddresses & {
  text: string;
  command: Command | undefined;
  speech: Speech | undefined;
  /** The last parts of an address: "and 08", "same for :01". */
  tails: string[];
  /** A user whose device is asked for. */
  user: UserQuery | undefined;
  /** Whether it asks to change the network. */
  asksToChange: boolean;
  /** Whether it asks for a message when something happens to a device. */
  asksToWatch: boolean;
};

/** Reads a message. Nothing behind `connect` is read: it may be a password. Takes linear time. */
export function readMessage(text: string, reach: Reach): Reading {
  const isAddressed = reach !== 'overheard';
  const command = isAddressed ? findCommand(text) : undefined;
  const behind = command && !OWN_TEXT.has(command.name) ? command.text : undefined;
  const asksToChange = isAddressed && CHANGE.test(text.slice(0, 200).replace(POLITE, ''));
  const asksToWatch = isAddressed && !command && readWatchRequest(text) !== undefined;
  const isAsked = behind !== undefined || asksToChange || asksToWatch;
  const found =
    command?.name === 'connect' ? NO_ADDRESSES : readAddresses(behind ?? text, isAsked ? 'asked' : reach);
  const words = found.addresses.length > 0 ? NO_WORDS : readWords(text, behind);
  return { ...found, ...words, text, command, asksToChange, asksToWatch };
}

const NO_WORDS = { speech: undefined, tails: [], user: undefined };

/** Reads what a message without an address says. */
function readWords(text: string, behind: string | undefined): Pick<Reading, 'speech' | 'tails' | 'user'> {
  const [, user] = USER.exec((behind ?? text).slice(0, 200)) ?? [];
  const isUser = user !== undefined && (behind !== undefined || !/\s/.test(user));
  return {
    speech: readSpeech(text) ?? readSpeech(behind ?? text.replace(POLITE, '')),
    tails: readTails(text),
    user: isUser ? toUserQuery(user) : undefined,
  };
}

/** Leaves out a domain before a backslash. Undefined: nothing but dots is left. */
function toUserQuery(name: string): UserQuery | undefined {
  const bare = name.replace(/^[^\\]*\\/, '').trim();
  return /^\.*$/.test(bare) ? undefined : `user ${bare}`;
}

/** Nobody says "show connect". */
const NOT_SHOWN: ReadonlySet<CommandName> = new Set(['lookup', 'connect', 'disconnect']);

/** Text behind these commands is their own. */
const OWN_TEXT: ReadonlySet<CommandName> = new Set(['connect', 'alerts', 'autoreply']);

/** Finds the command at the start of a text. "show status" is `status`. */
export function findCommand(text: string): Command | undefined {
  const outer = commandAt(text.replace(POLITE, ''));
  const inner = outer?.name === 'lookup' ? commandAt(outer.text.replace(/^the\s+/i, '')) : undefined;
  return inner && !NOT_SHOWN.has(inner.name) ? inner : outer;
}

function commandAt(text: string): Command | undefined {
  for (const { name, pattern } of PATTERNS) {
    const [command] = pattern.exec(text) ?? [];
    // A phone's keyboard puts a full stop behind a sentence.
    if (command !== undefined)
      return { name, text: text.slice(command.length).replace(/(?<![.!…])[.!…]\s*$/, '') };
  }
  return undefined;
}

/** Whether a text behind a command adds nothing to it. */
export const isBare = (text = '') => /^[^\p{L}\p{N}]*(?:please|pls|plz)?[^\p{L}\p{N}]*$/iu.test(text);

export const isCommandName = (name: unknown): name is CommandName =>
  typeof name === 'string' && Object.hasOwn(COMMANDS, name);

/** Every command's words that are one plain word. */
const PLAIN_WORDS = (Object.keys(COMMANDS) as CommandName[]).flatMap((name) =>
  [name, ...COMMANDS[name].split(/\s*\|/)].flatMap((word) => (/^[a-z]+$/.test(word) ? { name, word } : [])),
);
/** Behind a command stands nothing, an argument or addresses. Other words make a sentence. */
const ARGUMENTS = /^(?:|send|drop|on|off|list|here as [\w-]{1,40})$/i;

/**
 * Returns the command nearest to a misspelt one, with an argument or addresses behind it: at most two letters and half of
 * its letters off; another word for it is one letter off, or has two in the wrong order. Nothing is repeated of what stands
 * behind `connect`: it may be a password.
 */
export function nearestCommand({ text, command }: Reading): { name: CommandName; rest: string } | undefined {
  const polite = text.replace(POLITE, '');
  const [typed = ''] = /^\p{L}{4,32}(?![\p{L}\p{N}])/u.exec(polite) ?? [];
  if (command || typed === '') return undefined;
  const rest = polite.slice(typed.length).trim();
  const right = PLAIN_WORDS.map((each) => ({ ...each, off: distance(typed.toLowerCase(), each.word) }));
  const near = right.filter(
    ({ name, word, off }) => off < 2 || (off === 2 && isAlike(typed, word, name === word)),
  );
  const [nearest] = near.sort((one, other) => one.off - other.off);
  if (nearest?.name === 'connect')
    return nearest.off < 2 || rest === '' ? { ...nearest, rest: '' } : undefined;
  const isArgument = ARGUMENTS.test(rest) || isCommandName(rest) || readAddresses(rest, 'asked').isList;
  return nearest && isArgument ? { ...nearest, rest } : undefined;
}

/** Two letters off: four letters long at least, and the command's own name, or in another order. */
function isAlike(typed: string, word: string, isName: boolean): boolean {
  const letters = (each: string) => [...each.toLowerCase()].sort().join('');
  return word.length > 3 && (isName || letters(typed) === letters(word));
}

const TAIL_WORDS = wordSet(
  `and or also plus then now so again same next other check show lookup look up try maybe fields details what about how for with the one ones
  ending in device please pls plz too as well is thanks thx`,
);
const TAIL = /^(?:[:-]?[\da-f]{2}(?:[:-][\da-f]{2}){0,4}|\.?\d{1,3})$/;

/** Returns the last parts of addresses, if a short text holds nothing else but such words. Without a mark, they need one. */
function readTails(text: string): string[] {
  if (text.length > 100) return [];
  const words = text.toLowerCase().match(/[^\s,;?!&]+/g) ?? [];
  const others = words.filter((word) => !TAIL_WORDS.has(word));
  const tails = others.map((word) => word.replace(/(?<=\w)\.$|^[.…]+(?=:)/g, ''));
  const isMarked = words.length > tails.length || tails.every((tail) => /^[:.]/.test(tail));
  return isMarked && tails.every((tail) => TAIL.test(tail) && /[\d:]/.test(tail)) ? tails : [];
}
