import { targetUnder } from '../http.ts';
import { readVerdict, type WebhookAdapter } from './verdict.ts';

/** The legacy form: `POST {base}/webhook/<token>` with `{"text"}`. It took `title` and `body` once, and takes `text` too. */
export const legacy = {
  name: 'legacy',
  target: (base, token) => targetUnder(base, `/webhook/${token}`),
  body: (text) => JSON.stringify({ text }),
  maxCharacters: 10_000,
  read: readVerdict,
} satisfies WebhookAdapter;
