/** The meaning of a short message that holds no address. `follow-up`: it asks about the last device. */
export type Speech = 'thanks' | 'greeting' | 'yes' | 'no' | 'status' | 'follow-up';

const NAMELESS = `again once more one ones time retry recheck repeat refresh redo rerun now any change changes update updates news same other next and or also plus
  then so too as well it that this these those them there the is are how what about of on for to with in ending at better fixed still just last
  do try check show watch unwatch look up lookup run query fields details maybe can could you please pls plz thanks thx quoted me both device devices address addresses`;
/** Words that name nothing. */
export const FILLERS: ReadonlySet<string> = new Set(NAMELESS.split(/\s+/));

const PRAISE = 'great|perfect|awesome|excellent|nice|cool|(?:good|great|nice) (?:job|work|one|bot)';
const THANKS = 'thanks|thank (?:yo)?u|thx|ty|cheers';
/** "thanks, and the port": more is asked. */
const ASKS = '(?:and|now|but|can|could|check|please|show|wh\\w+)\\b';
const POLITE = `(?:\\W+(?:please|pls|plz|${THANKS}))*\\W*$`;
const YES =
  'yes|y|yep|yeah|yup|sure|of course|ok|okay|correct|right|exactly|both|all|go ahead|do it|please do|that one|thats (?:it|right|the one)';
/** "yes it is", "yes, please check it", "no, that's not it". */
const MORE = `(?:\\W+(?:please|check|look|it|that|up))*(?:\\W+(?!${ASKS})[a-z]+){0,4}\\W*$`;
const FORMS: Partial<Record<Speech, RegExp>> = {
  thanks: new RegExp(
    `^(?:(?:ok|okay|super|many|${PRAISE})\\W+)*(?:${PRAISE}|(?:${THANKS})(?:\\W+(?!${ASKS})\\w+){0,5})[^\\w?]*$`,
  ),
  greeting:
    /^(?:hi|hello|hey|hallo|hiya|good (?:morning|afternoon|evening|day))(?:\W+(?:there|bot|all|team|everyone|everybody|folks|again))*\W*$/,
  yes: new RegExp(`^(?:(?:${YES})(?:\\W+(?:${YES}))*${POLITE}|(?:yes|yep|yeah|yup)\\b${MORE})`),
  no: new RegExp(
    `^(?:(?:n|wrong|neither|not (?:that|this)(?: one)?|never ?mind|cancel|forget it)${POLITE}|(?:no|nope|nah)\\b${MORE})`,
  ),
  'follow-up': new RegExp(
    `^(?:(?:(?:show|give) (?:me|us) |any )?(?:more|everything|details)(?: info\\w*)?|explain|any ideas?|what (?:should|can|do) (?:i|we) do(?: now| next)?)${POLITE}`,
  ),
};
const THANKFUL = /[🙏👏❤😊🙂😀🎉👌👍]/u;
/** "got it, thanks", "works now 👍". */
const CLOSING = new RegExp(`\\b(?:${THANKS})[^\\w?]*$|${THANKFUL.source}[^\\w?]*$`, 'u');

/** "same again", "again pls", "and now?": one of these, and fillers. */
const AGAIN =
  /\b(?:again|same|retry|recheck|repeat|refresh|redo|rerun|now|once more|one more time|changes?|updates?|news)\b/;

/** "is the NAC up?", "are you there?": about a system and its state. */
const SYSTEM = /\b(?:nac|ise|radius|bot|are you|systems?|webhook|room|everything|all|anything)\b/;
const STATE =
  /\b(?:up|down|ok|okay|alive|work|works|working|online|offline|running|healthy|reachable|there|well|fine|broken|wrong|slow)\b/;

/** "why?", "which port?", "where is it plugged in?": with a pronoun or a fact of the answer, and without a name. */
const ASKING =
  /^(?:why|whos?|whose|wheres?|which|whats?|when|how|since|is|was|are|does|did|do|has|have|still)\b/;
const SHOWING = /^(?:show|give|get)(?: me| us)?\b/;
const FACTS =
  'port|switch|vlan|user|owner|ip|address|mac|location|place|site|building|floor|interface|ssid|wifi|ap|access point|seen|profile|policy|rule|group|reason|error|status|state|session|type|vendor|maker|connected|plugged|logged|online|offline|rejected|blocked|failing|failed|quarantined';
const FACT = new RegExp(`\\b(?:${FACTS})\\b`);
const POINTING = new RegExp(
  `\\b(?:its?|both|th(?:is|at|ese|ose)|he|him|his|she|her|they|them|their|there|quoted|the (?:${FACTS}))\\b`,
);
/** Somebody else, a name, a number or a path. */
const OTHER = /\b(?:you|your|time|use)\b/;
const NAME = /[\d_@\\/]|\p{L}-\p{L}|\s\p{Lu}\p{Ll}/u;

/** Returns the meaning of a message of up to 120 characters and 8 words; undefined: none of these. */
export function readSpeech(text: string): Speech | undefined {
  if (text.length > 120) return undefined;
  const lower = text.trim().toLowerCase();
  const plain = lower.replace(/['’]|^(?:for|on|in|at|by) (?=wh|how)/g, '');
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return THANKFUL.test(plain) ? 'thanks' : undefined;
  const form = Object.entries(FORMS).find(([, pattern]) => pattern.test(plain))?.[0];
  if (form !== undefined || words.length > 8) return form as Speech | undefined;
  const isAsking = ASKING.test(plain);
  if ((isAsking || /\?$/.test(plain)) && SYSTEM.test(plain) && (STATE.test(plain) || /^how/.test(plain)))
    return 'status';
  const isFiller = words.every((word) => FILLERS.has(word));
  if (isFiller && AGAIN.test(plain)) return 'follow-up';
  if (NAME.test(text.trim().replace(/wi-?fi/gi, 'wifi'))) return undefined;
  if (!isAsking && words.length < 7 && CLOSING.test(plain)) return 'thanks';
  if (OTHER.test(plain)) return undefined;
  const [isFact, isPointing] = [FACT.test(plain), POINTING.test(plain)];
  const isRequest = SHOWING.test(plain) || /\?$/.test(plain);
  const isMeant = isAsking
    ? isPointing || words.length < 3 || (isFact && /^(?:wh|how|since)/.test(plain))
    : (isFact || (isRequest && isPointing)) && words.length < (isRequest ? 5 : 2);
  return isMeant || (isFiller && isPointing) ? 'follow-up' : undefined;
}

const TELL = '(?:(?:tell|ping|notify|alert|message|text|warn|inform|remind) (?:me|us)|let (?:me|us) know)';
const WHEN = '(?:when|once|whenever|as soon as|the moment|if(?!.{0,200}\\b(?:is|are)\\b))';
/** "tell me when ... connects", "give us a shout once ...", "I want to know as soon as ..."; then "when ... is back, ping me". */
const WATCH_REQUEST = new RegExp(
  `^\\W*(?:(?:hey|hi|hello|ok|okay|yes|and|then|please|pls|just|(?:can|could|would|will) you)\\W+){0,3}(?:\\w+ (?:me|us)(?: \\w+){0,3}|(?:i|we)(?: \\w+|['’]d){1,4} (?:know|hear|see))\\W+${WHEN}\\b(.{1,200})|^\\W*(?:when|once|as soon as)\\b(.{1,200})\\b${TELL}(?:,? please)?\\W*$`,
  'is',
);
/** A question about what was, or about somebody. */
const NO_CHANGE =
  /^\W*(?:you are|you['’]re|i|we|he|she)\b|\b(?:was|were|did|had|been|last|first|connected (?:on|at|to))\b/i;
const OTHER_CHANGE =
  /\b(?:disconnects?|leaves|drops|ends|goes away|offline|down|gone|off|out|quarantined|rejected|blocked)\b/i;

/** Reads whether a sentence asks for a message when a device connects, or when it changes; undefined: it asks for neither. */
export function readWatchRequest(text: string): 'connects' | 'changes' | undefined {
  const [, event = undefined, other = event] = WATCH_REQUEST.exec(text) ?? [];
  if (other === undefined || NO_CHANGE.test(other)) return undefined;
  return OTHER_CHANGE.test(other) ? 'changes' : 'connects';
}
