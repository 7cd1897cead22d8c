/** The meaning of a short message that holds no address. `follow-up`: it asks about the last device. */
export type Speech = 'thanks' | 'greeting' | 'yes' | 'no' | 'status' | 'follow-up';

const NAMELESS = `again once more one ones time retry recheck repeat refresh redo rerun now any change changes update updates news same other next and or also plus
  then so too as well it that this these those them there the is are how what about of on for to with in ending at better fixed still just last sorry i meant we should everything info
  do try check show give watch unwatch look up lookup run query fields details explain idea ideas maybe can could you please pls plz thanks thx quoted me us both device devices address addresses`;
/** Words that name nothing. */
export const FILLERS: ReadonlySet<string> = new Set(NAMELESS.split(/\s+/));

const PRAISE = 'great|perfect|awesome|excellent|nice|cool|(?:good|great|nice) (?:job|work|one|bot)';
const THANKS = 'thanks|thank (?:yo)?u|thx|ty|cheers';
const EMOJI = '[🙏👏❤😊🙂😀🎉👌👍]';
/** "ok, thanks a lot", "works now 👍"; not "thanks, and the port". */
const THANKFUL = new RegExp(
  `(?:^(?:(?:ok|okay|super|many|${PRAISE})\\W+)*|\\b)(?:${THANKS})(?:\\W+(?!and|now|but|can|could|check|please|show|wh)\\w+){0,5}[^\\w?]*$|^(?:(?:${PRAISE})[^\\w?]*)+$|${EMOJI}[^\\w?]*$`,
  'u',
);
const POLITE = `(?:\\W+(?:please|pls|plz|${THANKS}))*\\W*$`;
const AGREE =
  'yes|y|yep|yeah|yup|sure|of course|ok|okay|correct|right|exactly|both|all|go ahead|do it|please do|that one|thats (?:it|right|the one)';
/** "yes it is", "yes, please check it", "no, that's not it"; not "yes, and the port". */
const MORE = '(?:\\W+(?!(?:and|now|but|can|could|show|wh))[a-z]+){0,6}\\W*$';
const YES = new RegExp(`^(?:(?:${AGREE})(?:\\W+(?:${AGREE}))*${POLITE}|(?:yes|yep|yeah|yup)\\b${MORE})`);
const NO = new RegExp(
  `^(?:(?:n|wrong|neither|not (?:that|this)(?: one)?|never ?mind|cancel|forget it)${POLITE}|(?:no|nope|nah)\\b${MORE})`,
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
const POINTING = new RegExp(
  `\\b(?:its?|both|th(?:is|at|ese|ose)|he|him|his|she|her|they|them|their|there|quoted|the (?:${FACTS}))\\b`,
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
/** A question about what was, or about somebody. */
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
