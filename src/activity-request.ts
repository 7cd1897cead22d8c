import type { IncomingMessage } from 'node:http';
import type { Activity } from 'botbuilder';
import getRawBody from 'raw-body';
import { z } from 'zod';
import { isAllowedServiceUrl, type ServiceHosts } from './service-hosts.ts';

/** A request read and judged: an activity, or the HTTP status that refuses it and, for the log, why. */
export type ActivityRequest = { kind: 'activity'; activity: Activity } | Refusal;
export type Refusal = { kind: 'refused'; status: 400 | 403 | 413 | 415; reason: string };

/** The largest body taken, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;

/**
 * Reads a Bot Framework activity from a request whose body nobody has touched. Refused in this order: another media
 * type or any content encoding (415), too large by its declared length or while it is read (413), not JSON (400), a
 * needed field missing (400), a service address that replies may not go to (403).
 */
export async function readActivityRequest(
  request: IncomingMessage,
  serviceHosts: ServiceHosts,
): Promise<ActivityRequest> {
  const { headers } = request;
  if (mediaType(headers['content-type']) !== 'application/json') return refused(415, 'media type');
  if (headers['content-encoding'] !== undefined) return refused(415, 'content encoding');
  const body = await readBody(request);
  if (typeof body !== 'string') return body;
  const json = parseJson(body);
  if (json === undefined) return refused(400, 'not JSON');
  const parsed = activitySchema.safeParse(json);
  if (!parsed.success) return refused(400, `field ${parsed.error.issues[0]?.path.join('.') || 'missing'}`);
  if (!isAllowedServiceUrl(parsed.data.serviceUrl, serviceHosts)) return refused(403, 'service address');
  return { kind: 'activity', activity: parsed.data as Activity & typeof parsed.data };
}

const needed = z.string().trim().min(1);
const optionalText = z.string().optional().catch(undefined);
const account = z.looseObject({ id: z.string(), name: optionalText, aadObjectId: optionalText });
const mention = z.looseObject({
  type: z.string(),
  text: z.string(),
  mentioned: z.looseObject({ id: z.string() }),
});

/** The five needed fields, and of the others those that are read: where one has another shape, it counts as not there. */
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
  recipient: account.optional().catch(undefined),
  entities: z
    .array(z.unknown())
    .catch([])
    .transform((entities) => entities.flatMap((entity) => mention.safeParse(entity).data ?? [])),
});

async function readBody(request: IncomingMessage): Promise<string | Refusal> {
  try {
    const length = request.headers['content-length'];
    const bytes = await getRawBody(request, {
      limit: MAX_BODY_BYTES,
      ...(length !== undefined && { length }),
    });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const { type, code } = error as { type?: string; code?: string };
    if (type === 'entity.too.large') return refused(413, 'too large');
    if (type !== undefined || code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return refused(400, type ?? 'not UTF-8');
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function mediaType(header: string | undefined): string | undefined {
  return header?.split(';', 1)[0]?.trim().toLowerCase();
}

function refused(status: Refusal['status'], reason: string): Refusal {
  return { kind: 'refused', status, reason };
}
