/**
 * Returns each token of a NAC's answer once, in order of first appearance.
 *
 * A token is a whole run of token characters (Unicode letters and digits, `_`, `-`, `.`). It holds an underscore and at
 * least one letter or digit, and stands directly before `:` or `<`. A run directly behind `<` or `</` is an element's
 * name, not a token. The text need not be well-formed. Takes linear time on any text: it leaps from underscore to
 * underscore and reads each run once.
 *
 * @example extractTokens('<rule>Wired_802.1X</rule><a>:!:Set=Basic_Access:!:</a>') // ['Wired_802.1X', 'Basic_Access']
 */
export function extractTokens(text: string): string[] {
  const tokens: string[] = [];
  let start = 0;
  let end = 0;
  for (let at = text.indexOf('_'); at !== -1; at = text.indexOf('_', end)) {
    for (start = at; start > end && isTokenCharacter(text, start - 1); start--);
    for (end = at + 1; isTokenCharacter(text, end); end++);
    if (isDelimiter(text.charCodeAt(end)) && !isElementName(text, start)) {
      const run = text.slice(start, end);
      if (/[\p{L}\p{Nd}]/u.test(run)) tokens.push(run);
    }
  }
  return [...new Set(tokens)];
}

export type TokenTest = (token: string) => boolean;

/**
 * Returns a test for the tokens that a list names; `*` stands for any part. Takes linear time for each name.
 *
 * @example tokensLike(['PAP_ASCII', 'Gigabit*'])('Gigabit_1') // true
 */
export function tokensLike(names: readonly string[]): TokenTest {
  const patterns = names.map((name) => name.split('*'));
  return (token) => patterns.some((parts) => isLike(token, parts));
}

/** Whether the parts stand in the token in this order, the first at its start and the last at its end. */
function isLike(token: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
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

const LESS_THAN = 0x3c;
const COLON = 0x3a;
const SLASH = 0x2f;

function isDelimiter(unit: number): boolean {
  return unit === COLON || unit === LESS_THAN;
}

function isElementName(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  return before === LESS_THAN || (before === SLASH && text.charCodeAt(start - 2) === LESS_THAN);
}

const ASCII_TOKEN_CHARACTERS = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[A-Za-z0-9_.-]/.test(String.fromCharCode(unit)) ? 1 : 0,
);

function isTokenCharacter(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 128) return ASCII_TOKEN_CHARACTERS[unit] === 1;
  return unit >= 128 && /[\p{L}\p{Nd}]/u.test(characterAt(text, index));
}

/** Returns the whole character at `index`; for either half of a surrogate pair, the pair. */
function characterAt(text: string, index: number): string {
  const isSecondHalf =
    (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  return String.fromCodePoint(text.codePointAt(isSecondHalf ? index - 1 : index) ?? 0);
}
