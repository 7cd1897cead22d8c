import type { WebhookAdapter } from './adapter.ts';

/** Endpoint 5, the legacy form: `POST {base}/webhook/<token>` with `{"text"}`. */
export const legacy: WebhookAdapter = {
  path: (token) => `/webhook/${token}`,
  body: (text) => JSON.stringify({ text }),
  maxCharacters: 10_000,
  split(pathname) {
    const match = /^(.*)\/webhook\/(?!v2\/?$)([^/]+)\/?$/.exec(pathname);
    return match?.[1] !== undefined && match[2] ? { base: match[1], token: match[2] } : undefined;
  },
};
