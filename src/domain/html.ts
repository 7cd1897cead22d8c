import { decodeHTMLStrict } from 'entities';
import { Parser } from 'htmlparser2';
import { decodeUri } from './text.ts';

/** `own`: without quotes and mentions. `quoted`: without the quoted person's name; undefined if nothing is quoted. */
export type HtmlTexts = { text: string; own: string; quoted: string | undefined; links: string[] };

/** These stand inside a word or a line. All other elements part lines, but words in the cell of a table. */
const INLINE = new Set(['a', 'b', 'code', 'em', 'font', 'i', 's', 'span', 'strong', 'sub', 'sup', 'u']);
/** Nothing is read behind deeper nesting: the parser's work at each tag grows with the depth. */
const MAX_DEPTH = 500;
/** An angle bracket that begins no tag. */
const LONE_BRACKET = /<(?![a-z/!][^<>]*>)/gi;

/** Reads the texts of HTML and the addresses of its links. Takes linear time. */
export function readHtml(html: string): HtmlTexts {
  const all: string[] = [];
  const own: string[] = [];
  const quoted: string[] = [];
  const links: string[] = [];
  let [depth, quotes, cells, hiddenAt] = [0, 0, 0, Number.POSITIVE_INFINITY];
  function add(text: string, isHidden = depth >= hiddenAt): void {
    all.push(text);
    if (!isHidden) (quotes > 0 ? quoted : own).push(text);
  }
  function addGap(name: string): void {
    if (isCell(name)) add('\t', false);
    else if (!INLINE.has(name)) add(cells > 0 || name === 'at' ? ' ' : '\n', false);
  }
  const parser = new Parser(
    {
      onopentag(name, { itemtype = '', itemprop, href }) {
        addGap(name);
        depth++;
        if (name === 'blockquote') quotes++;
        if (isCell(name)) cells++;
        const isHidden = name === 'at' || itemprop === 'mri' || itemtype.endsWith('skype.com/Mention');
        if (isHidden) hiddenAt = Math.min(hiddenAt, depth);
        if (name === 'a' && href) links.push(href);
        if (depth === MAX_DEPTH) parser.pause();
      },
      ontext: (text) => add(text),
      onclosetag(name) {
        if (depth === hiddenAt) hiddenAt = Number.POSITIVE_INFINITY;
        if (name === 'blockquote') quotes--;
        if (isCell(name)) cells--;
        depth--;
        addGap(name);
      },
    },
    { decodeEntities: false },
  );
  parser.end(html.replace(LONE_BRACKET, '&lt;'));
  return {
    text: toText(all),
    own: toText(own),
    quoted: quoted.length > 0 ? toText(quoted) : undefined,
    links: links.map((link) => decodeUri(decodeHTMLStrict(link)) ?? link),
  };
}

const isCell = (name: string) => name === 'td' || name === 'th';

const toText = (parts: readonly string[]) =>
  decodeHTMLStrict(parts.join('')).replaceAll('\u00a0', ' ').trim();

/** The tags that Teams puts into a plain text. */
const TYPED =
  'a|at|attachment|b|blockquote|br|code|div|em|font|i|li|ol|p|pre|quoted|s|span|strong|sub|sup|u|ul';
const NOT_TYPED = new RegExp(`<(?!/?(?:${TYPED})\\b[^<>]*>)`, 'gi');

/** Reads a plain text in which Teams put a few tags and entities. Other brackets are the person's own. */
export const readTyped = (text: string): HtmlTexts => readHtml(text.replace(NOT_TYPED, '&lt;'));
