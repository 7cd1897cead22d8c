import { type Activity, TurnContext } from 'botbuilder';

/** Tags that Teams puts around formatted and quoted text. An address in angle brackets is none of them. */
const TAGS = /<\/?(?:attachment|blockquote|br|code|div|em|li|ol|p|pre|quoted|span|strong|ul)\b[^<>]*>/gi;

/** What the person typed: without mentions, and without the entities that Teams puts into plain text. */
export function readText(activity: Partial<Activity>): string {
  const text = (activity.text ?? '').replace(/<at\b[^<>]*>[^<]*<\/at>/gi, ' ').replace(TAGS, ' ');
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
    return /messageReference$/i.test(contentType) ? [readHtml(content)] : [];
  });
  const previews = entities.flatMap((entity) => entity.quotedReply?.preview ?? []);
  return [...quotes, ...previews].join('\n');
}

/** The text of HTML from the chat service: what is formatted inside a line stays one word, all else parts words. */
export function readHtml(html: string): string {
  const text = html
    .replace(/<\/?(?:a|b|code|em|font|i|s|span|strong|sub|sup|u)\b[^<>]*>/gi, '')
    .replace(/<\/?[a-z][^<>]*>/gi, '\n');
  return decodeEntities(text).trim();
}

const ENTITIES: Readonly<Record<string, string>> = { nbsp: ' ', lt: '<', gt: '>', amp: '&', quot: '"' };

function decodeEntities(text: string): string {
  return text.replace(/&(nbsp|lt|gt|amp|quot);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
