import { closest, distance } from 'fastest-levenshtein';
import { readAddresses, type UserQuery } from '../src/domain/device-address.ts';
import type { Reach } from '../src/domain/sightings.ts';
import type { CommandName } from './commands/command.ts';
import type { DeviceCommand } from './lookup/device-lookups.ts';

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
  const hasAddress = found.addresses.length > 0;
  const speech = hasAddress ? undefined : speechOf(text, argument);
  const tails = hasAddress || found.suspects.length > 0 ? [] : readTails(text);
  const isMore = speech === 'yes' ? deviceCommand !== undefined : name === 'fields' && isBare; // "watch both"
  const isAboutLast =
    (asksToChange || asksToWatch !== undefined) && POINTING.test(text.slice(0, 1000).toLowerCase());
  const isFollowUp = speech === 'follow-up' || tails.length > 0 || isMore || isAboutLast;
  const user = hasAddress ? undefined : readUser(argument, name !== undefined);
  const asked = { command, deviceCommand, isBare, asksToChange, asksToWatch, isFollowUp, user };
  return { ...found, ...asked, speech, tails };
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

const withoutFillers = (text: string) =>
  /^(?:please|pls|plz|all|everything|mine)?$/i.test(text.replace(/[^\p{L}\p{N}]+/gu, '')) ? '' : text;

export const isCommandName = (name: unknown): name is CommandName =>
  typeof name === 'string' && Object.hasOwn(PHRASES, name);

/** Behind a command stands nothing, an argument or addresses. Other words make a sentence. */
const ARGUMENTS = /^(?:[\da-f.:,;\s-]*|send|drop|on|off|list|here|here as [\w-]{1,40})(?:please)?$/i;

/** Returns a command that is misspelt by two letters at most (the first counts twice), without a password behind `connect`. */
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

function readTails(text: string): string[] {
  const words = text.length > 100 ? [] : (text.toLowerCase().match(/[^\s,;?!&()]+/g) ?? []);
  const others = words.filter((word) => !FILLERS.has(word));
  const bare = others.map((word) => word.replace(/\.$/, '').replace(/^(?:\.{2,}|…|-):?/, ':'));
  const tails = bare.filter((word) => TAIL.test(word));
  return tails.length === others.length ? tails : tails.filter((tail) => /^[:.]/.test(tail));
}

/** The meaning of a short message that holds no address. `follow-up`: it asks about the last device. */
type Speech = 'thanks' | 'greeting' | 'yes' | 'no' | 'status' | 'follow-up';

const NAMELESS = `again once more one ones time retry recheck repeat refresh redo rerun now any change changes update updates news same other next and or also plus
  then so too as well it that this these those them there the is are how what about of on for to with in ending at better fixed still just last sorry i meant we should everything info
  do try check show give watch unwatch look up lookup run query fields details explain idea ideas maybe can could you please pls plz thanks thx quoted me us both device devices address addresses`;
const FILLERS: ReadonlySet<string> = new Set(NAMELESS.split(/\s+/));

const PRAISE = 'great|perfect|awesome|excellent|nice|cool|(?:good|great|nice) (?:job|work|one|bot)';
const THANKS = 'thanks|thank (?:yo)?u|thx|ty|cheers';
const EMOJI = '[🙏👏❤😊🙂😀🎉👌👍]';
/** "ok, thanks a lot", "works now 👍"; not "thanks, and the port". */
const THANKFUL = new RegExp(
  `(?:^(?:(?:ok|okay|super|many|${PRAISE})\\W+)*|\\b)(?:${THANKS})(?:\\W+(?!and|now|but|can|could|check|please|show|wh)\\w+){0,5}[^\\w?]*$|^(?:(?:${PRAISE})[^\\w?]*)+$|${EMOJI}[^\\w?]*$`,
  'u',
);
const ENDING = `(?:\\W+(?:please|pls|plz|${THANKS}))*\\W*$`;
const AGREE =
  'yes|y|yep|yeah|yup|sure|of course|ok|okay|correct|right|exactly|both|all|go ahead|do it|please do|that one|thats (?:it|right|the one)';
/** "yes it is", "yes, please check it", "no, that's not it"; not "yes, and the port". */
const MORE = '(?:\\W+(?!(?:and|now|but|can|could|show|wh))[a-z]+){0,6}\\W*$';
const YES = new RegExp(`^(?:(?:${AGREE})(?:\\W+(?:${AGREE}))*${ENDING}|(?:yes|yep|yeah|yup)\\b${MORE})`);
const NO = new RegExp(
  `^(?:(?:n|wrong|neither|not (?:that|this)(?: one)?|never ?mind|cancel|forget it)${ENDING}|(?:no|nope|nah)\\b${MORE})`,
);
const GREETING =
  /^(?:hi|hello|hey|hallo|hiya|good (?:morning|afternoon|evening|day))(?:\W+(?:there|bot|all|team|everyone|everybody|folks|again))*\W*$/;

/** "same again", "and now?", "any details": one of these, and fillers. */
const AGAIN =
  /\b(?:again|same|retry|recheck|repeat|refresh|redo|rerun|now|once more|one more time|changes?|updates?|news|more|everything|details|explain|ideas?)\b/;

/** "is the NAC up?", "are you there?": about a system and its state. */
const SYSTEM = /\b(?:nac|ise|radius|bot|are you|systems?|webhook|room|everything|all|anything)\b/;
const STATE =
  /^how\b|\b(?:up|down|ok|okay|alive|work|works|working|online|offline|running|healthy|reachable|there|well|fine|broken|wrong|slow)\b/;

/** "why?", "which port?", "where is it plugged in?": with a pronoun or a fact of the answer, and without a name. */
const ASKING =
  /^(?:why|whos?|whose|wheres?|which|whats?|when|how|since|is|was|are|does|did|do|has|have|still|show|give|get)\b/;
const FACTS =
  'port|switch|vlan|user|owner|ip|address|mac|location|place|site|building|floor|interface|ssid|wifi|ap|access point|seen|profile|policy|rule|group|reason|error|status|state|session|type|vendor|maker|connected|plugged|logged|online|offline|rejected|blocked|failing|failed|quarantined';
const FACT = new RegExp(`\\b(?:${FACTS})\\b`);
/** "release it", "bounce the port", "ping me once back online": about devices that were asked for before. */
const POINTING = new RegExp(
  `\\b(?:its?|both|th(?:is|at|ese|ose)|he|him|his|she|her|they|them|their|there|quoted|the (?:device|${FACTS})|(?:when|once|soon as) (?:connected|back|online|up))\\b`,
);
/** A name, a number or a path, or somebody else. */
const NAME = /[\d_@\\/]|\p{L}-\p{L}|\s\p{Lu}\p{Ll}|\b(?:(?<!thank )you|your|time|use)\b/u;

/** Returns the meaning of a message of up to 120 characters and 8 words; undefined: none of these. */
export function readSpeech(text: string): Speech | undefined {
  const lower = text.length > 120 ? '' : text.trim().toLowerCase();
  const plain = lower.replace(/['’]|^(?:for|on|in|at|by) (?=wh|how)/g, '');
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length > 8) return undefined;
  const thanks = THANKFUL.exec(plain);
  if (thanks && (thanks.index === 0 || words.length === 0)) return 'thanks';
  if (GREETING.test(plain)) return 'greeting';
  if (YES.test(plain)) return 'yes';
  if (NO.test(plain)) return 'no';
  const isAsking = ASKING.test(plain);
  const isQuestion = plain.endsWith('?');
  if ((isAsking || isQuestion) && SYSTEM.test(plain) && STATE.test(plain)) return 'status';
  const isPointing = POINTING.test(plain);
  const isFiller = words.every((word) => FILLERS.has(word));
  if (isFiller && (isPointing || AGAIN.test(plain))) return 'follow-up';
  if (NAME.test(text.trim().replace(/wi-?fi/gi, 'wifi'))) return undefined;
  if (thanks && !isAsking) return 'thanks';
  if (isPointing) return isAsking || isQuestion ? 'follow-up' : undefined;
  const most = isQuestion ? 4 : 1;
  const isFact =
    FACT.test(plain) && (isAsking ? /^(?:\wh|how|since|give|get)/.test(plain) : words.length <= most);
  return isFact || (isAsking && words.length < 3) ? 'follow-up' : undefined;
}

const REQUEST =
  '\\b(?:(?:tell|ping|notify|alert|message|text|warn|inform|remind|give|drop) (?:me|us)|let (?:me|us) know|(?:want|need|like) to (?:know|hear|see))\\b';
const WHEN = '(?:when|once|whenever|as soon as|the moment|if(?!.{0,200}\\b(?:is|are)\\b))';
/** "tell me when ... connects", "give us a shout once ..."; "when ... is back, ping me". */
const WATCH_REQUEST = new RegExp(
  `${REQUEST}.{0,20} ${WHEN}\\b(.{1,200})|^\\W*${WHEN}\\b(.{1,200}?)${REQUEST}\\W*(?:please\\W*)?$`,
  'is',
);
/** A question about the past, or about somebody. */
const NO_CHANGE =
  /^\W*(?:you|i|we|he|she)\b|\b(?:was|were|did|had|been|last|first|connected (?:on|at|to))\b/i;
const OTHER_CHANGE =
  /\b(?:disconnects?|leaves|drops|ends|goes away|offline|down|gone|off|out|quarantined|rejected|blocked)\b/i;

/** Reads whether a sentence asks for a message when a device connects, or when it changes; undefined: it asks for neither. */
export function readWatchRequest(text: string): 'connects' | 'changes' | undefined {
  const [, next = undefined, event = next] = WATCH_REQUEST.exec(text) ?? [];
  if (event === undefined || NO_CHANGE.test(event)) return undefined;
  return OTHER_CHANGE.test(event) ? 'changes' : 'connects';
}
