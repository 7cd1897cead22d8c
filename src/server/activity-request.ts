import type { IncomingMessage } from 'node:http';
import type { Activity } from 'botbuilder';
import { z } from 'zod';
import { parseShallow } from '../domain/text.ts';
import type { ServiceGate } from '../http.ts';
import { declaredBytes, decode, mediaType, type ReadBody, refused } from './request-body.ts';

/**
 * Judges the `Authorization` header of a request, before its body is read. `findFault` returns afterwards why the token is not
 * good for an activity's claimed origin, which anyone can make up. All reasons are for the log.
 */
export type CheckToken = (
  authorization: string | undefined,
) => Promise<
  | { kind: 'verified'; findFault(claimed: { channelId: unknown; serviceUrl: unknown }): string | undefined }
  | { kind: 'refused'; reason: string }
  | { kind: 'keys unavailable' }
>;

const MAX_BODY_BYTES = 256 * 1024;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a Bot Framework activity. Refuses, in this order: another media type or any content encoding (415), over 256 KB as
 * declared (413), an invalid token, before the body is read (401), the refusals of {@link ReadBody} over 256 KB (413, 503,
 * 400), not UTF-8, not JSON or nested too deeply (400), a token that is not good for the activity (401), a missing required
 * field (400), a service address that replies may not go to (403). Without keys to judge a token by, it is a 503.
 * @param options.checkToken undefined: authentication is off
 */
export async function readActivityRequest(
  request: IncomingMessage,
  options: { checkToken: CheckToken | undefined; serviceGate: ServiceGate; readBody: ReadBody },
) {
  const { headers } = request;
  if (mediaType(headers['content-type']) !== 'application/json') return refused(415, 'media type');
  if (headers['content-encoding'] !== undefined) return refused(415, 'content encoding');
  if ((declaredBytes(request) ?? 0) > MAX_BODY_BYTES) return refused(413, 'too large');
  const verdict = await options.checkToken?.(headers.authorization);
  if (verdict?.kind === 'keys unavailable') return refused(503, 'no signing keys');
  if (verdict?.kind === 'refused') return refused(401, verdict.reason);
  const text = await options.readBody(request, MAX_BODY_BYTES, (bytes) => decode(bytes, UTF_8));
  if (text === undefined) return refused(400, 'not UTF-8');
  if (typeof text === 'object') return text;
  const body = parseShallow(text);
  if (body === undefined) return refused(400, 'not JSON, or nested too deeply');
  const claimFault = verdict?.findFault(Object(body));
  if (claimFault !== undefined) return refused(401, claimFault);
  const badId = BOUNDED.find((path) => isBadId(path.reduce((value, name) => Object(value)[name], body)));
  if (badId !== undefined) return refused(400, `field ${badId.join('.')}`);
  const { data, error } = activitySchema.safeParse(body);
  if (error) return refused(400, `field ${error.issues[0]?.path.join('.') || 'missing'}`);
  if (options.serviceGate(data.serviceUrl) === undefined) return refused(403, 'service address');
  return { kind: 'activity' as const, activity: data as Activity & typeof data };
}

const needed = z.string().trim().min(1);
const optionalText = z.string().optional().catch(undefined);
const account = z.looseObject({ id: z.string(), name: optionalText, aadObjectId: optionalText });
/** Kept without an id too, because its flag says that the message is private. */
const recipient = z.looseObject({ id: optionalText });
const mentioned = z.looseObject({ id: z.string() });
const entity = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('mention'), text: z.string(), mentioned }),
  z.looseObject({ type: z.literal('quotedReply'), quotedReply: z.looseObject({ preview: z.string() }) }),
]);

/** Every message has entities of other types, and a full schema check takes long. */
const isRead = (each: unknown) => ['mention', 'quotedReply'].includes(Object(each).type);

/** The five required fields, and the optional fields that the bot reads. An optional field of another shape counts as missing. */
const activitySchema = z.looseObject({
  type: needed,
  id: needed,
  channelId: needed,
  serviceUrl: needed,
  conversation: z.looseObject({ id: needed, conversationType: optionalText }),
  text: optionalText,
  locale: optionalText,
  localTimezone: optionalText,
  replyToId: optionalText,
  timestamp: optionalText,
  from: account.optional().catch(undefined),
  recipient: recipient.optional().catch(undefined),
  entities: listOf(entity, isRead),
  attachments: listOf(z.looseObject({ contentType: z.string() })),
  membersAdded: listOf(account),
  membersRemoved: listOf(account),
});

/** The fields that the bot keeps, compares or hands to a library. */
const BOUNDED = [
  ...['id', 'replyToId', 'channelId', 'locale', 'localTimezone', 'serviceUrl', 'conversation.id'],
  ...['conversation.tenantId', 'from.id', 'from.aadObjectId', 'from.tenantId', 'recipient.id'],
].map((path) => path.split('.'));

/** Whether a text is over 1,000 characters, or one that no database keeps (NUL, half a surrogate). */
function isBadId(value: unknown): boolean {
  return typeof value === 'string' && (value.length > 1000 || value.includes('\0') || !value.isWellFormed());
}

/**
 * A list of the items that `isMeant` accepts and that fit the schema. Uses `overwrite`, because zod makes a function for each
 * `transform`. V8 keeps functions that are set on an object, with all that they close over, until a full collection.
 */
function listOf<T>(item: z.ZodType<T>, isMeant: (each: unknown) => boolean = () => true) {
  const keep = (list: unknown) =>
    Array.isArray(list) ? list.filter(isMeant).flatMap((each) => item.safeParse(each).data ?? []) : [];
  return z.custom<T[]>().optional().overwrite(keep);
}
