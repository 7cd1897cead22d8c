import type { Secret } from './secret.ts';

export type WebhookForm = 'v2' | 'legacy';
/** Where the room's webhook is; the token makes the whole address a secret. */
export type WebhookAddress = { base: URL; form: WebhookForm; token: Secret };

/** Whether a text can be a token: one path segment that a URL leaves unchanged. */
export function isWebhookToken(text: string): boolean {
  return /^(?!(?:\.|%2e){1,2}$)[^/\\?#\s]+$/i.test(text);
}

/** The form whose base ends last comes first: a base may hold `/webhook` itself. */
const FORMS = [
  ['v2', /^(.*)\/webhook\/v2\/([^/]+)\/?$/],
  ['legacy', /^(.*)\/webhook\/(?!v2\/?$)([^/]+)\/?$/],
] as const;

/**
 * Splits a whole webhook address (http or https), as a person pastes it from the room's settings.
 * @returns the base (no slash at its end), the form and the token; undefined if the address holds no token
 */
export function splitPastedAddress(url: URL): { base: URL; form: WebhookForm; token: string } | undefined {
  for (const [form, pattern] of FORMS) {
    const [, path, token] = pattern.exec(url.pathname) ?? [];
    if (path === undefined || token === undefined) continue;
    const base = new URL(url.origin);
    base.pathname = path;
    return { base, form, token };
  }
  return undefined;
}
