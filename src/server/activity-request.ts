import type { IncomingMessage } from 'node:http';
import type { Activity } from 'botbuilder';
import { z } from 'zod';
import type { ServiceGate } from '../http/hosts.ts';
import { type CheckToken, type Claimed, findClaimFault } from '../teams/authentication/channel-token.ts';
import { findHeadFault, readJsonBody } from './json-request.ts';
import type { BodyRefusal, ReadBody } from './request-body.ts';

/** An activity, or a refusal: the HTTP status and, for the log, the reason. */
export type ActivityRequest =
  | { kind: 'activity'; activity: Activity }
  | BodyRefusal
  | { kind: 'refused'; status: 401 | 403; reason: string };

export type ActivityRequestOptions = {
  /** Undefined: authentication is off. */
  checkToken: CheckToken | undefined;
  serviceGate: ServiceGate;
  readBody: ReadBody;
};

/**
 * Reads a Bot Framework activity. Refuses, in this order: what {@link findHeadFault} refuses (415, 413), an invalid token,
 * before the body is read (401), what {@link readJsonBody} refuses (503, 413, 400), a token that is not good for
 * the activity (401), a missing required field (400), a service address that replies may not go to (403).
 * @throws KeysUnavailableError
 */
export async function readActivityRequest(
  request: IncomingMessage,
  { checkToken, serviceGate, readBody }: ActivityRequestOptions,
): Promise<ActivityRequest> {
  const headFault = findHeadFault(request);
  if (headFault) return headFault;
  const verdict = await checkToken?.(request.headers.authorization);
  if (verdict?.kind === 'refused') return { kind: 'refused', status: 401, reason: verdict.reason };
  const body = await readJsonBody(request, readBody);
  if (body.kind === 'refused') return body;
  const claimFault = verdict && findClaimFault(verdict.token, claimsOf(body.value));
  if (claimFault !== undefined) return { kind: 'refused', status: 401, reason: claimFault };
  const badId = findBadId(body.value);
  if (badId !== undefined) return { kind: 'refused', status: 400, reason: `field ${badId}` };
  const parsed = activitySchema.safeParse(body.value);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') || 'missing';
    return { kind: 'refused', status: 400, reason: `field ${field}` };
  }
  if (serviceGate(parsed.data.serviceUrl) === undefined)
    return { kind: 'refused', status: 403, reason: 'service address' };
  return { kind: 'activity', activity: parsed.data as Activity & typeof parsed.data };
}

const needed = z.string().trim().min(1);
const optionalText = z.string().optional().catch(undefined);
const account = z.looseObject({ id: z.string(), name: optionalText, aadObjectId: optionalText });
/** Kept without an id too, because its flag says that the message is private. */
const recipient = z.looseObject({ id: optionalText });
const mention = z.looseObject({
  type: z.literal('mention'),
  text: z.string(),
  mentioned: z.looseObject({ id: z.string() }),
});
const quotedReply = z.looseObject({
  type: z.literal('quotedReply'),
  quotedReply: z.looseObject({ preview: z.string() }),
});
const entity = z.discriminatedUnion('type', [mention, quotedReply]);

/** Skips entities of other types, which every message has: a full schema check takes long. */
const isRead = (each: unknown) => {
  const { type } = { ...(each as { type?: unknown } | null) };
  return type === 'mention' || type === 'quotedReply';
};

/** The five required fields, and the optional fields that the bot reads. An optional field of another shape counts as missing. */
const activitySchema = z.looseObject({
  type: needed,
  id: needed,
  channelId: needed,
  serviceUrl: needed,
  conversation: z.looseObject({ id: needed }),
  text: optionalText,
  locale: optionalText,
  localTimezone: optionalText,
  replyToId: optionalText,
  from: account.optional().catch(undefined),
  recipient: recipient.optional().catch(undefined),
  entities: listOf(entity, isRead),
  attachments: listOf(z.looseObject({ contentType: z.string() })),
  membersAdded: listOf(account),
  membersRemoved: listOf(account),
});

/** The fields that the bot keeps, compares or hands to a library. */
const BOUNDED = [
  ['id'],
  ['replyToId'],
  ['channelId'],
  ['locale'],
  ['localTimezone'],
  ['serviceUrl'],
  ['conversation', 'id'],
  ['conversation', 'tenantId'],
  ['from', 'id'],
  ['from', 'aadObjectId'],
  ['from', 'tenantId'],
  ['recipient', 'id'],
] as const;
const LONGEST = 1000;

/** The name of an id, a locale or an address that is over 1,000 characters or that no database keeps (NUL, half a surrogate). */
function findBadId(activity: unknown): string | undefined {
  const bad = BOUNDED.find((path) => {
    const value = path.reduce<unknown>(fieldOf, activity);
    return (
      typeof value === 'string' && (value.length > LONGEST || value.includes('\0') || !value.isWellFormed())
    );
  });
  return bad?.join('.');
}

function claimsOf(activity: unknown): Claimed {
  return { channelId: fieldOf(activity, 'channelId'), serviceUrl: fieldOf(activity, 'serviceUrl') };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/**
 * Keeps the list's items that `isMeant` accepts and that fit the schema; returns an empty list for anything else. Uses
 * `overwrite`, because zod makes a function for each `transform`. V8 keeps functions that are set on an object, with all
 * that they close over, until a full collection.
 */
function listOf<T>(item: z.ZodType<T>, isMeant: (each: unknown) => boolean = () => true) {
  return z
    .custom<T[]>()
    .optional()
    .overwrite((list) =>
      Array.isArray(list) ? list.filter(isMeant).flatMap((each) => item.safeParse(each).data ?? []) : [],
    );
}
