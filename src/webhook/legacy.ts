import { targetUnder } from '../http.ts';

/** Endpoint 5, the legacy form: `POST {base}/webhook/<token>` with `{"text"}`. It took `title` and `body` once, and takes `text` too. */
export const legacy = (base: URL, token: string) => targetUnder(base, `/webhook/${token}`);
