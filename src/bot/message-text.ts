import { type Activity, TurnContext } from 'botbuilder';
import { parseJson } from '../text/json.ts';

/** Tags that Teams puts around quoted text, and those that it puts into lines. An address in angle brackets is none of them. */
const BLOCKS = /<\/?(?:attachment|blockquote|br|div|li|ol|p|pre|quoted|ul)\b[^<>]*>/gi;
const INLINES = /<\/?(?:a|b|code|em|font|i|s|span|strong|sub|sup|u)\b[^<>]*>/gi;

/** What the person typed: without mentions, and without the entities that Teams puts into plain text. */
export function readText(activity: Partial<Activity>): string {
  const text = (activity.text ?? '')
    .replace(/<at\b[^<>]*>[^<]*<\/at>/gi, ' ')
    .replace(INLINES, '')
    .replace(BLOCKS, ' ');
  const rest = activity.recipient ? TurnContext.removeRecipientMention({ ...activity, text }) : text;
  return decodeEntities(rest).trim();
}

/**
 * What a message quotes or forwards, which does not stand in its text: Teams delivers it as an HTML attachment with a
 * block quote, as a reference to a message, or as an entity with a preview.
 */
export function readQuotes({ attachments = [], entities = [] }: Partial<Activity>): string {
  const quotes = attachments.flatMap(({ contentType, content }) => {
    if (typeof content !== 'string') return [];
    if (contentType === 'text/html' && /<blockquote\b/i.test(content)) return [readHtml(content)];
    return /messageReference$/i.test(contentType) ? [readContent(content)] : [];
  });
  const previews = entities.flatMap((entity) => entity.quotedReply?.preview ?? []);
  return [...quotes, ...previews].join('\n');
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
