import { decodeHTMLStrict } from 'entities';
import { Parser } from 'htmlparser2';
import { decodeUri } from './text.ts';

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
const MAX_DEPTH = 500;
const LONE_BRACKET = /<(?![a-z/!][^<>]*>)/gi;

function parse(html: string) {
  const texts = { text: '', own: '', quoted: '', links: [] as string[] };
  let [depth, quotes, cells, hiddenAt] = [0, 0, 0, Number.POSITIVE_INFINITY];
  function add(text: string): void {
    texts.text += text;
    // Mentions, and the name of the person who is quoted, are hidden.
    if (depth < hiddenAt) texts[quotes > 0 ? 'quoted' : 'own'] += text;
  }
  /** Counts an element that begins (1) or ends (-1). */
  function count(name: string, by: number): void {
    depth += by;
    if (name === 'blockquote') quotes += by;
    if (name === 'td' || name === 'th') cells += by;
  }
  function addGap(name: string): void {
    if (name === 'td' || name === 'th') add('\t');
    else if (!INLINE.has(name)) add(cells > 0 || name === 'at' ? ' ' : '\n');
  }
  const parser = new Parser(
    {
      onopentag(name, { itemtype = '', itemprop, href }) {
        addGap(name);
        count(name, 1);
        const isHidden = name === 'at' || itemprop === 'mri' || itemtype.endsWith('skype.com/Mention');
        if (isHidden) hiddenAt = Math.min(hiddenAt, depth);
        if (name === 'a' && href) texts.links.push(href);
        if (depth === MAX_DEPTH) parser.pause();
      },
      ontext: add,
      onclosetag(name) {
        if (depth === hiddenAt) hiddenAt = Number.POSITIVE_INFINITY;
        count(name, -1);
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
