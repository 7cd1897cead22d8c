/** "tell me when ... connects", "can you let us know as soon as ..."; then "when ... is back, ping me". */
const SENTENCE =
  /^\W*(?:(?:hey|hi|hello|please|pls|just|can you|could you|would you|will you)\W+){0,3}(?:(?:tell|ping|notify|alert|message|text|warn|inform) (?:me|us)|let (?:me|us) know)\W+(?:when|once|whenever|as soon as|the moment|if(?!.{0,200}\b(?:is|are)\b))\b(.{1,200})/is;
const REVERSED =
  /^\W*(?:when|once|as soon as)\b(.{1,200})\b(?:(?:tell|ping|notify|alert|message|text) (?:me|us)|let (?:me|us) know)(?:,? please)?\W*$/is;
/** A question about what was. */
const PAST = /\b(?:was|were|did|had|been|last|first|connected (?:on|at|to))\b/i;
const OTHER_CHANGE =
  /\b(?:disconnects?|leaves|drops|ends|goes away|offline|down|gone|off|out|quarantined|rejected|blocked)\b/i;

/** Reads whether a sentence asks for a message when a device connects, or when it changes; undefined: it asks for neither. */
export function readWatchRequest(text: string): 'connects' | 'changes' | undefined {
  const [, event] = SENTENCE.exec(text) ?? REVERSED.exec(text) ?? [];
  if (event === undefined || PAST.test(event)) return undefined;
  return OTHER_CHANGE.test(event) ? 'changes' : 'connects';
}
