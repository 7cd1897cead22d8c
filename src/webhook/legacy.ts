import { targetUnder } from '../http.ts';
import type { WebhookAdapter } from './verdict.ts';

/** The legacy form: `POST {base}/webhook/<token>` with `{"text"}`. It took `title` and `body` once, and takes `text` too. */
export const legacy = {
  target: (base, token) => targetUnder(base, `/webhook/${token}`),
  body: (text) => JSON.stringify({ text }),
} satisfies WebhookAdapter;
