import type { WebhookAdapter } from './adapter.ts';

/** Endpoint 4: `POST {base}/webhook/v2/<token>` with `{"text"}`. */
export const v2: WebhookAdapter = {
  path: (token) => `/webhook/v2/${token}`,
  body: (text) => JSON.stringify({ text }),
  maxCharacters: 10_000,
  split(pathname) {
    const match = /^(.*)\/webhook\/v2\/([^/]+)\/?$/.exec(pathname);
    return match?.[1] !== undefined && match[2] ? { base: match[1], token: match[2] } : undefined;
  },
};
