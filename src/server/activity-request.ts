import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Activity } from 'botbuilder';
import { z } from 'zod';
import { parseShallow } from '../domain/text.ts';
import type { ServiceGate } from '../http.ts';
import { declaredBytes, mediaType, type ReadBody, refused } from './request-body.ts';

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
  const text = await options.readBody(request, MAX_BODY_BYTES, readUtf8);
  if (typeof text !== 'string') return text;
  const body = parseShallow(text);
  if (body === undefined) return refused(400, 'not JSON, or nested too deeply');
  const claimFault = verdict?.findFault(Object(body));
  if (claimFault !== undefined) return refused(401, claimFault);
  const { data, error } = activitySchema.safeParse(body);
  if (error) return refused(400, `field ${error.issues[0]?.path.join('.') || 'missing'}`);
  if (options.serviceGate(data.serviceUrl) === undefined) return refused(403, 'service address');
  return { kind: 'activity' as const, activity: data as Activity & typeof data };
}

const readUtf8 = (bytes: Buffer) => (isUtf8(bytes) ? bytes.toString() : refused(400, 'not UTF-8'));

/** An id, a locale or an address: at most 1,000 characters that a database keeps (no NUL, no half surrogate). */
const short = z
  .string()
  .max(1000)
  .regex(/^[^\p{Cs}\0]*$/u);
const needed = short.regex(/\S/);
const optionalShort = short.optional().catch(undefined);
const optionalText = z.string().optional().catch(undefined);
const account = z.looseObject({
  id: short,
  name: optionalText,
  aadObjectId: optionalShort,
  tenantId: optionalShort,
});
/** Kept without an id too, because its flag says that the message is private. */
const recipient = z.looseObject({ id: optionalShort });
const mentioned = z.looseObject({ id: z.string() });
const entity = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('mention'), text: z.string(), mentioned }),
  z.looseObject({ type: z.literal('quotedReply'), quotedReply: z.looseObject({ preview: z.string() }) }),
]);

/** The five required fields, and the optional fields that the bot reads. An optional field of another form counts as missing. */
const activitySchema = z.looseObject({
  type: needed,
  id: needed,
  channelId: needed,
  serviceUrl: needed,
  conversation: z.looseObject({ id: needed, conversationType: optionalShort, tenantId: optionalShort }),
  text: optionalText,
  locale: optionalShort,
  localTimezone: optionalShort,
  replyToId: optionalShort,
  timestamp: optionalText,
  from: account.optional().catch(undefined),
  recipient: recipient.optional().catch(undefined),
  entities: listOf(entity),
  attachments: listOf(z.looseObject({ contentType: z.string() })),
  membersAdded: listOf(account),
});

/**
 * A list of the items that fit the schema. Uses `overwrite`, because zod makes a function for each `transform`. V8 keeps
 * functions that are set on an object, with all that they close over, until a full collection.
 */
function listOf<T>(item: z.ZodType<T>) {
  const keep = (list: unknown) =>
    Array.isArray(list) ? list.flatMap((each) => item.safeParse(each).data ?? []) : [];
  return z.custom<T[]>().optional().overwrite(keep);
}
