import type { Activity, Attachment } from 'botbuilder';
import type { Unseen } from '../../dialogs/lookup/no-address.ts';
import { parseJson } from '../domain/json.ts';
import { readContent, readHtml, readQuoteHtml } from './message-text.ts';

/** What stands beside a person's own words: its text, and what holds a text that the chat service did not send. */
type Part = { text: string; unseen: Unseen[] };

/**
 * What a message quotes, forwards or holds beside its text. Teams delivers quotes as an HTML attachment with a block quote,
 * as a reference to a message, or as an entity with a preview; cards and code snippets as attachments.
 */
export function readBeside({ text = '', attachments = [], entities = [] }: Partial<Activity>): {
  quoted: string;
  unseen: readonly Unseen[];
} {
  const parts: Part[] = attachments.flatMap((each) => readAttachment(each) ?? []);
  const previews = entities.flatMap((entity) =>
    entity.quotedReply ? [readHtml(entity.quotedReply.preview)] : [],
  );
  const quoted = [...parts.map((part) => part.text), ...previews].filter(Boolean).join('\n');
  const placeholder: Unseen[] = /<quoted\b/i.test(text) ? ['quote'] : [];
  const unseen = [...parts.flatMap((part) => part.unseen), ...placeholder];
  // A quote often comes in two forms, and one of them is enough.
  return { quoted, unseen: quoted === '' ? unseen : unseen.filter((each) => each !== 'quote') };
}

/**
 * Reads an attachment of a Teams message. Undefined: it is of no known kind. Kinds:
 * https://learn.microsoft.com/graph/api/resources/chatmessageattachment
 */
export function readAttachment(attachment: Attachment): Part | undefined {
  const { contentType, content, contentUrl, name } = attachment;
  if (contentType === 'text/html') return typeof content === 'string' ? readHtmlPart(content) : undefined;
  if (/messageReference$/i.test(contentType)) return partOf(readReference(content), 'quote');
  if (/\.card\.codesnippet$/i.test(contentType)) return readSnippet(content);
  if (/\.card\.fluidEmbedCard$/i.test(contentType)) return { text: '', unseen: ['component'] };
  if (/^application\/vnd\.microsoft\.(?:teams\.)?card\./i.test(contentType))
    return partOf(readContent(content));
  if (/^image\//i.test(contentType)) return { text: '', unseen: ['picture'] };
  return (!content && (contentUrl || name)) || /\.file\.download\.info$/i.test(contentType)
    ? { text: '', unseen: ['file'] }
    : undefined;
}

function partOf(text: string, unseen?: Unseen): Part {
  return { text, unseen: text === '' && unseen !== undefined ? [unseen] : [] };
}

/** Only what it quotes: its other text is the message's own. */
function readHtmlPart(html: string): Part {
  const quote = readQuoteHtml(html);
  const pictures: Unseen[] = /schema\.skype\.com\/AMSImage/i.test(html) ? ['picture'] : [];
  const { text, unseen } = quote === undefined ? partOf('') : partOf(quote, 'quote');
  return { text, unseen: [...unseen, ...pictures] };
}

/** The preview of a quoted message, or the text of a forwarded one. Other fields hold ids, whose digits are no addresses. */
function readReference(content: unknown): string {
  const value = typeof content === 'string' ? parseJson(content) : content;
  if (typeof value !== 'object' || value === null)
    return typeof content === 'string' ? readHtml(content) : '';
  const { messagePreview, originalMessageContent } = value as Readonly<Record<string, unknown>>;
  return [messagePreview, originalMessageContent]
    .map((text) => (typeof text === 'string' ? readHtml(text) : ''))
    .filter(Boolean)
    .join('\n');
}

/** Teams often sends a link in place of the code. The link's ids are no addresses. */
function readSnippet(content: unknown): Part {
  const value = typeof content === 'string' ? parseJson(content) : content;
  if (typeof value !== 'object' || value === null) return partOf(readContent(content), 'code');
  const { codeSnippetUrl, language, name, ...code } = value as Readonly<Record<string, unknown>>;
  return partOf(readContent(code), 'code');
}
