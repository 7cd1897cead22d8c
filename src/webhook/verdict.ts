import type { WebhookForm } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';

/** One form of the webhook: its address, its body, its bounds, and the meaning of its answers. */
export type WebhookAdapter = {
  name: WebhookForm;
  /** @param token one path segment that a URL leaves unchanged */
  target(base: URL, token: string): URL;
  /** The JSON body of a post. */
  body(text: string): string;
  /** The longest text of one post, in UTF-16 units. */
  maxCharacters: number;
  read(status: number, text: string): Verdict;
};

/** The meaning of an answer. `final`: trying again cannot help. */
export type Verdict =
  | { kind: 'posted' }
  | { kind: 'not found'; final: true }
  /** A person can switch the webhook on again. */
  | { kind: 'suspended'; final: false }
  | { kind: 'rejected'; status: number; final: true }
  /** The body says error, though the status is a 2xx. */
  | { kind: 'error verdict'; final: false }
  | { kind: 'failed'; status: number; final: false };

/** Reads an answer as both forms mean it. A 2xx alone is no proof: rooms answer 200 to posts that they did not take. */
export function readVerdict(status: number, text: string): Verdict {
  const error = status < 500 ? readError(text) : undefined;
  if (error === 'not found' || status === 404 || status === 410) return { kind: 'not found', final: true };
  if (error === 'suspended') return { kind: 'suspended', final: false };
  if (status >= 400 && status < 500 && ![408, 425, 429].includes(status))
    return { kind: 'rejected', status, final: true };
  if (status < 200 || status >= 300) return { kind: 'failed', status, final: false };
  if (error === 'invalid') return { kind: 'rejected', status, final: true };
  return error === undefined ? { kind: 'posted' } : { kind: 'error verdict', final: false };
}

function readError(body: string): 'not found' | 'suspended' | 'invalid' | 'other' | undefined {
  const { status, error, message, validation } = Object(parseJson(body)) as Record<string, unknown>;
  if (!error && !(typeof status === 'string' && /^error$/i.test(status))) return undefined;
  const words = JSON.stringify([error, message]);
  if (/not\s*found/i.test(words)) return 'not found';
  if (/suspended/i.test(words)) return 'suspended';
  return validation ? 'invalid' : 'other';
}
