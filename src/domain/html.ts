import { decodeHTMLStrict } from 'entities';

/** Tags that Teams puts around quoted text, and those that it puts into lines. An address in angle brackets is none of them. */
const BLOCKS = /<\/?(?:attachment|blockquote|br|div|li|ol|p|pre|quoted|ul)\b[^<>]*>/gi;
const INLINES = /<\/?(?:a|b|code|em|font|i|s|span|strong|sub|sup|u)\b[^<>]*>/gi;
const MENTIONS = /<at\b[^<>]*>[^<]*<\/at>/gi;
/** Attributes of the elements around a mention, and around the name of who is quoted. */
const MENTION = /schema\.skype\.com\/Mention/i;
const SENDER = /itemprop="mri"/i;

/** The text of HTML from the chat service: what is formatted inside a line stays one word, all else parts words. */
export function readHtml(html: string): string {
  return decodeEntities(html.replace(INLINES, '').replace(/<\/?[a-z][^<>]*>/gi, '\n')).trim();
}

/** What a person typed, without mentions: Teams puts a few tags, and entities, into the plain text. */
export function readTyped(text: string): string {
  return decodeEntities(text.replace(MENTIONS, ' ').replace(INLINES, '').replace(BLOCKS, ' ')).trim();
}

/** The text in HTML from Teams without what it quotes and whom it mentions. */
export function readOwnHtml(html: string): string {
  return readHtml(withoutMarked(splitQuotes(html).own, MENTION));
}

/** The quoted text in HTML from Teams, without the quoted person's name. Undefined if it quotes nothing. */
export function readQuoteHtml(html: string): string | undefined {
  const { quoted } = splitQuotes(html);
  return quoted && readHtml(withoutMarked(quoted, SENDER));
}

/** Takes out the innermost elements whose attributes match, and mentions. */
function withoutMarked(html: string, marked: RegExp): string {
  return html
    .replace(MENTIONS, ' ')
    .replace(/<([a-z]+)\b([^<>]*)>[^<]*<\/\1>/gi, (whole, _, attributes: string) =>
      marked.test(attributes) ? ' ' : whole,
    );
}

/** Parts the block quotes, which may nest, from all else. */
function splitQuotes(html: string): { quoted: string | undefined; own: string } {
  const quoted: string[] = [];
  const own: string[] = [];
  let depth = 0;
  html.split(/(<\/?blockquote\b[^<>]*>)/i).forEach((piece, index) => {
    const isTag = index % 2 === 1;
    if (isTag) depth = piece.startsWith('</') ? Math.max(depth - 1, 0) : depth + 1;
    else (depth > 0 ? quoted : own).push(piece);
  });
  return { quoted: quoted.length > 0 ? quoted.join('\n') : undefined, own: own.join('\n') };
}

/** Where the links of HTML lead: some show a title, and hold the address. */
export function readLinks(html: string): string[] {
  return [...html.matchAll(/<a\b([^<>]*)>/gi)].flatMap(([, attributes = '']) => {
    const [, , link] = /\bhref\s*=\s*(["'])(.*?)\1/is.exec(attributes) ?? [];
    return link === undefined ? [] : [decodeUri(decodeEntities(link))];
  });
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}

function decodeEntities(text: string): string {
  return decodeHTMLStrict(text).replaceAll('\u00a0', ' ');
}
