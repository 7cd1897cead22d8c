import { targetUnder } from '../http.ts';

/** Endpoint 4: `POST {base}/webhook/v2/<token>` with `{"text"}`. @param token one path segment that a URL leaves unchanged */
export const v2 = (base: URL, token: string) => targetUnder(base, `/webhook/v2/${token}`);
