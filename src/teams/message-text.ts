import { type Activity, TurnContext } from 'botbuilder';
import { parseJson } from '../domain/json.ts';

/** Tags that Teams puts around quoted text, and those that it puts into lines. An address in angle brackets is none of them. */
const BLOCKS = /<\/?(?:attachment|blockquote|br|div|li|ol|p|pre|quoted|ul)\b[^<>]*>/gi;
const INLINES = /<\/?(?:a|b|code|em|font|i|s|span|strong|sub|sup|u)\b[^<>]*>/gi;

/**
 * What the person typed, without mentions. Teams delivers it as a plain text with tags and entities in it, and once more as
 * an HTML attachment. That one counts only if the text is empty, as it can be for a table or a list.
 */
export function readText(activity: Partial<Activity>): string {
  return readPlain(activity) || readOwnHtml(activity);
}

function readPlain(activity: Partial<Activity>): string {
  const text = (activity.text ?? '')
    .replace(/<at\b[^<>]*>[^<]*<\/at>/gi, ' ')
    .replace(INLINES, '')
    .replace(BLOCKS, ' ');
  const rest = activity.recipient ? TurnContext.removeRecipientMention({ ...activity, text }) : text;
  return decodeEntities(rest).trim();
}

function readOwnHtml({ attachments = [] }: Partial<Activity>): string {
  const texts = attachments.map(({ contentType, content }) =>
    contentType === 'text/html' && typeof content === 'string'
      ? readHtml(withoutMarked(splitQuotes(content).own, MENTION))
      : '',
  );
  return texts.join('\n').trim();
}

/** Attributes of the elements around a mention, and around the name of who is quoted. */
const MENTION = /schema\.skype\.com\/Mention/i;
const SENDER = /itemprop="mri"/i;

/** The quoted text in HTML from Teams, without the quoted person's name. Undefined if it quotes nothing. */
export function readQuoteHtml(html: string): string | undefined {
  const { quoted } = splitQuotes(html);
  return quoted && readHtml(withoutMarked(quoted, SENDER));
}

/** Takes out the innermost elements whose attributes match, and mentions. */
function withoutMarked(html: string, marked: RegExp): string {
  return html
    .replace(/<at\b[^<>]*>[^<]*<\/at>/gi, ' ')
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
    const [, quoted, single] = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes) ?? [];
    const link = quoted ?? single;
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

/** The text of HTML from the chat service: what is formatted inside a line stays one word, all else parts words. */
export function readHtml(html: string): string {
  return decodeEntities(html.replace(INLINES, '').replace(/<\/?[a-z][^<>]*>/gi, '\n')).trim();
}

/** All texts in an attachment's content: a card or a reference, as an object or as JSON, or HTML. */
export function readContent(content: unknown): string {
  if (typeof content !== 'string') return textsIn(content).join('\n');
  const json = parseJson(content);
  return json === undefined ? readHtml(content) : textsIn(json).join('\n');
}

/** Not by recursion: nobody has looked yet how deeply it is nested. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') texts.push(readHtml(next));
    else if (typeof next === 'object' && next !== null)
      for (const value of Object.values(next).reverse()) left.push(value); // A spread of many overflows the stack.
  }
  return texts;
}

const ENTITIES: Readonly<Record<string, string>> = { nbsp: ' ', lt: '<', gt: '>', amp: '&', quot: '"' };

function decodeEntities(text: string): string {
  return text.replace(/&(nbsp|lt|gt|amp|quot);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
