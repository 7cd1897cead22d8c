import { type Activity, type Attachment, TurnContext } from 'botbuilder';
import type { Unseen } from '../../dialogs/lookup/question.ts';
import { readHtml, readOwnHtml, readQuoteHtml, readTyped } from '../domain/html.ts';
import { parseJson } from '../domain/text.ts';

/**
 * What the person typed, without mentions. Teams delivers it as a plain text with tags and entities in it, and once more as
 * an HTML attachment. That one counts only if the text is empty, as it can be for a table or a list.
 */
export function readText(activity: Partial<Activity>): string {
  const { recipient, attachments = [] } = activity;
  const text = readTyped(activity.text ?? '');
  const plain = recipient ? TurnContext.removeRecipientMention({ ...activity, text }) : text;
  if (plain) return plain;
  const htmls = attachments.filter((each) => isHtml(each) && typeof each.content === 'string');
  return htmls
    .map(({ content }) => readOwnHtml(content))
    .join('\n')
    .trim();
}

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
  if (isHtml(attachment)) return typeof content === 'string' ? readHtmlPart(content) : undefined;
  if (/messageReference$/i.test(contentType)) return partOf(readReference(content), 'quote');
  if (/\.card\.codesnippet$/i.test(contentType)) return partOf(readSnippet(content), 'code');
  if (/\.card\.fluidEmbedCard$/i.test(contentType)) return partOf('', 'component');
  if (/^application\/vnd\.microsoft\.(?:teams\.)?card\./i.test(contentType))
    return partOf(readContent(content));
  if (/^image\//i.test(contentType)) return partOf('', 'picture');
  const isFile = (!content && (contentUrl || name)) || /\.file\.download\.info$/i.test(contentType);
  return isFile ? partOf('', 'file') : undefined;
}

function isHtml({ contentType }: Attachment): boolean {
  return contentType === 'text/html';
}

/** @param unseen what the part holds if it has no text */
export function partOf(text: string, unseen?: Unseen): Part {
  return { text, unseen: text === '' && unseen ? [unseen] : [] };
}

/** Only what it quotes: its other text is the message's own. */
function readHtmlPart(html: string): Part {
  const quote = readQuoteHtml(html);
  const { text, unseen } = quote === undefined ? partOf('') : partOf(quote, 'quote');
  return { text, unseen: /schema\.skype\.com\/AMSImage/i.test(html) ? [...unseen, 'picture'] : unseen };
}

/** The preview of a quoted message, or the text of a forwarded one. Other fields hold ids, whose digits are no addresses. */
function readReference(content: unknown): string {
  const fields = fieldsOf(content);
  if (!fields) return typeof content === 'string' ? readHtml(content) : '';
  const texts = [fields.messagePreview, fields.originalMessageContent].filter(
    (text) => typeof text === 'string',
  );
  return texts.map(readHtml).filter(Boolean).join('\n');
}

/** Teams often sends a link in place of the code. The link's ids are no addresses. */
function readSnippet(content: unknown): string {
  const { codeSnippetUrl, language, name, ...code } = fieldsOf(content) ?? { content };
  return readContent(code);
}

/** The fields of an object, or of one in JSON; undefined for anything else. */
function fieldsOf(content: unknown): Readonly<Record<string, unknown>> | undefined {
  const value = typeof content === 'string' ? parseJson(content) : content;
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

/** All texts in an attachment's content: a card or a reference, as an object or as JSON, or HTML. */
export function readContent(content: unknown): string {
  const texts: string[] = [];
  // Not by recursion: nobody has looked yet how deeply it is nested.
  const left = [typeof content === 'string' ? (parseJson(content) ?? content) : content];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') texts.push(readHtml(next));
    else if (typeof next === 'object' && next !== null)
      for (const value of Object.values(next).reverse()) left.push(value); // A spread of many overflows the stack.
  }
  return texts.join('\n');
}
