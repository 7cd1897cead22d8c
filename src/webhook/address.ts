import type { Secret } from '../domain/secret.ts';
import type { WebhookAdapter } from './adapter.ts';
import { legacy } from './legacy.ts';
import { v2 } from './v2.ts';

export type WebhookForm = 'v2' | 'legacy';

/** Where the room's webhook is; the token makes the whole address a secret. */
export type WebhookAddress = { base: URL; form: WebhookForm; token: Secret };

export const ADAPTERS: Readonly<Record<WebhookForm, WebhookAdapter>> = { v2, legacy };

/** Whether a text can be a token: one path segment that a URL leaves unchanged. */
export function isWebhookToken(text: string): boolean {
  return /^(?!(?:\.|%2e){1,2}$)[^/\\?#\s]+$/i.test(text);
}

/**
 * Splits a whole webhook address (http or https), as a person pastes it from the room's settings.
 * @returns the base (no slash at its end), the form and the token; undefined if the address holds no token
 */
export function splitPastedAddress(url: URL): { base: URL; form: WebhookForm; token: string } | undefined {
  for (const form of ['v2', 'legacy'] as const) {
    const parts = ADAPTERS[form].split(url.pathname);
    if (parts) {
      const base = new URL(url.origin);
      base.pathname = parts.base;
      return { base, form, token: parts.token };
    }
  }
  return undefined;
}
