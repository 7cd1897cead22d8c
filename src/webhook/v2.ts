import { targetUnder } from '../http.ts';
import { readVerdict, type WebhookAdapter } from './verdict.ts';

/** The present form: `POST {base}/webhook/v2/<token>` with `{"text"}`. */
export const v2 = {
  name: 'v2',
  target: (base, token) => targetUnder(base, `/webhook/v2/${token}`),
  body: (text) => JSON.stringify({ text }),
  maxCharacters: 10_000,
  read: readVerdict,
} satisfies WebhookAdapter;
