/** A value that must never be shown: it prints as `[secret]` in logs, errors, JSON and templates. */
export class Secret<T = string> {
  readonly #value: T | (() => T);

  /** @param value the value, or a function that returns it if it changes while the bot runs */
  constructor(value: T | (() => T)) {
    this.#value = value;
  }

  /** Returns the value, for code that sends it. */
  reveal(): T {
    return this.#value instanceof Function ? this.#value() : this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

/** Returns the present texts of the secrets in a value and in the objects below it. */
export function secretsIn(value: unknown): string[] {
  const shown = value instanceof Secret ? value.reveal() : value;
  if (typeof shown === 'string') return shown === value ? [] : [shown];
  return typeof shown === 'object' && shown !== null ? Object.values(shown).flatMap(secretsIn) : [];
}

/** The user name must hold no colon. */
export type Account = { username: string; password: Secret };

/** An issued credential; times are milliseconds since 1970. */
export type Held = { kind: 'held'; credential: Secret; since: number; until: number };

/** The value of an `Authorization` header for HTTP Basic, in UTF-8 (RFC 7617). */
export function basicAuthorization({ username, password }: Account): string {
  return `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString('base64')}`;
}

export type WebhookForm = 'v2' | 'legacy';
/** The address of the room's webhook; its token makes the whole address a secret. */
export type WebhookAddress = { base: URL; form: WebhookForm; token: Secret };

/** Whether a text can be a webhook's token: one path segment that a URL leaves unchanged. */
export const isWebhookToken = (text: string) => /^(?!(?:\.|%2e){1,2}$)[^/\\?#\s]+$/i.test(text);

/** A base may hold `/webhook` itself, so the last one counts. */
const PASTED = /^(.*)\/webhook(\/v2)?(?:\/([^/]+))?\/*$/;

/**
 * Splits a webhook address as a person pastes it: base without a final slash, form and token, which is empty if the address ends
 * right before it. Undefined for a base alone.
 */
export function splitPastedAddress(url: URL): { base: URL; form: WebhookForm; token: string } | undefined {
  const [, path, v2, token = ''] = PASTED.exec(url.pathname) ?? [];
  if (path === undefined) return undefined;
  const base = new URL(url.origin);
  base.pathname = path;
  return { base, form: v2 === undefined ? 'legacy' : 'v2', token };
}
