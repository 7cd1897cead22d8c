import { decodeHTMLStrict } from 'entities';
import { Parser } from 'htmlparser2';

/** Returns the result of a task; undefined if it throws an error of this class. Throws any other error. */
export function unlessThrown<T>(kind: new () => Error, task: () => T): T | undefined {
  try {
    return task();
  } catch (error) {
    if (!(error instanceof kind)) throw error;
    return undefined;
  }
}

/** Undefined if the text is no JSON. */
export const parseJson = (text: string): unknown => unlessThrown(SyntaxError, () => JSON.parse(text));

/** More levels than any activity or alert has. Deeper nesting could overflow the stack of code that walks the value. */
const MAX_DEPTH = 64;

/** Returns the value of a JSON text; undefined if the text is not JSON, or nested too deeply. */
export function parseShallow(text: string): unknown {
  const value = parseJson(text);
  return isTooDeep(value, MAX_DEPTH) ? undefined : value;
}

function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isTooDeep(each, levels - 1));
}

/** Undefined if a percent sign is no escape. */
export const decodeUri = (text: string) => unlessThrown(URIError, () => decodeURIComponent(text));

/** Splits a text, between lines if it can, into pieces of at most `limit` (2 or more) UTF-16 units. No character is split. */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  for (let left = text; left !== '' || pieces.length === 0; ) {
    const next = takePiece(left, limit);
    pieces.push(next.piece);
    left = next.left;
  }
  return pieces;
}

/** Returns the first piece, and the text that is left for the other pieces: empty after the last. */
export function takePiece(text: string, limit: number): { piece: string; left: string } {
  if (text.length <= limit) return { piece: text, left: '' };
  const lineEnd = text.lastIndexOf('\n', limit);
  if (lineEnd === 0) return takePiece(text.slice(1), limit);
  if (lineEnd > 0) return { piece: text.slice(0, lineEnd), left: text.slice(lineEnd + 1) };
  const cut = limit - Number(/[\uD800-\uDBFF]/.test(text.charAt(limit - 1)));
  return { piece: text.slice(0, cut), left: text.slice(cut) };
}

/** How much of a message is searched for addresses, in UTF-16 units: 32 KB of ordinary text. */
export const SEARCHED = 32 * 1024;
/** The characters of addresses, but for spaces: text without any, as JSON can be, is cut between words too. */
const LAST_WORD = /[\p{L}\p{N}:.%_-]*$/u;

/** Returns a text's first {@link SEARCHED} units, cut before the last word that an address could be, and whether there was more. */
export function firstPart(text: string): { text: string; isCut: boolean } {
  if (text.length <= SEARCHED) return { text, isCut: false };
  const part = text.slice(0, SEARCHED);
  const word = LAST_WORD.exec(part.slice(-200))?.[0].length ?? 0;
  return { text: part.slice(0, part.length - word).replace(/[\uD800-\uDBFF]$/, ''), isCut: true };
}

/**
 * Shows invisible characters, which can make one text look like another, as their code points: `\u{202e}`; and marks piled up
 * on four others, which would cover the lines above. @param prefix of a code point; JSON needs two backslashes
 */
export function visible(untrusted: string, prefix = '\\u'): string {
  if (/^[ -~]*$/.test(untrusted)) return untrusted; // Most texts are plain, and this test is quick.
  return untrusted.replace(INVISIBLE, (each) => `${prefix}{${each.codePointAt(0)?.toString(16)}}`);
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{4})\p{M}/gu;

/** A text that a database can keep: NUL and halves of surrogate pairs become U+FFFD. Postgres refuses both. */
export const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** `own`: without quotes and mentions. `quoted`: without the quoted person's name; undefined if nothing is quoted. */
export type HtmlTexts = { text: string; own: string; quoted: string | undefined; links: string[] };

/** Reads the texts of HTML and the addresses of its links. Takes linear time. */
export function readHtml(html: string): HtmlTexts {
  if (!/[<&]/.test(html)) return { text: html.trim(), own: html.trim(), quoted: undefined, links: [] };
  const { text, own, quoted, links } = parse(html);
  const decoded = (each: string) => decodeHTMLStrict(each).replaceAll('\u00a0', ' ').trim();
  return {
    text: decoded(text),
    own: decoded(own),
    quoted: quoted === '' ? undefined : decoded(quoted),
    links: links.map((link) => decodeUri(decodeHTMLStrict(link)) ?? link),
  };
}

/** These stand inside a word or a line. All other elements part lines, but words in the cell of a table. */
const INLINE = new Set(['a', 'b', 'code', 'em', 'font', 'i', 's', 'span', 'strong', 'sub', 'sup', 'u']);
/** Nothing is read behind deeper nesting: the parser's work at each tag grows with the depth. */
const MAX_NESTING = 500;
const LONE_BRACKET = /<(?![a-z/!][^<>]*>)/gi;

function parse(html: string) {
  const texts = { text: '', own: '', quoted: '', links: [] as string[] };
  const open: string[] = [];
  function add(text: string): void {
    texts.text += text;
    if (!open.includes('hidden')) texts[open.includes('blockquote') ? 'quoted' : 'own'] += text;
  }
  function addGap(name: string): void {
    if (name === 'td' || name === 'th') add('\t');
    else if (!INLINE.has(name)) add(name === 'at' || open.includes('td') || open.includes('th') ? ' ' : '\n');
  }
  const parser = new Parser(
    {
      onopentag(name, { itemtype = '', itemprop, href }) {
        addGap(name);
        // Mentions, and the name of the person who is quoted.
        const isHidden = name === 'at' || itemprop === 'mri' || itemtype.endsWith('skype.com/Mention');
        open.push(isHidden ? 'hidden' : name);
        if (name === 'a' && href) texts.links.push(href);
        if (open.length === MAX_NESTING) parser.pause();
      },
      ontext: add,
      onclosetag(name) {
        open.pop();
        addGap(name);
      },
    },
    { decodeEntities: false },
  );
  parser.end(html.replace(LONE_BRACKET, '&lt;'));
  return texts;
}

/** The tags that Teams puts into a plain text. */
const TYPED =
  'a|at|attachment|b|blockquote|br|code|div|em|font|i|li|ol|p|pre|quoted|s|span|strong|sub|sup|u|ul';
const NOT_TYPED = new RegExp(`<(?!/?(?:${TYPED})\\b[^<>]*>)`, 'gi');

/** Reads a plain text in which Teams put a few tags and entities. Other brackets are the person's own. */
export const readTyped = (text: string): HtmlTexts => readHtml(text.replace(NOT_TYPED, '&lt;'));
