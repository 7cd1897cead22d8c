/** Endpoint 4: `POST {base}/webhook/v2/<token>` with `{"text"}`. */
export const v2 = { path: '/webhook/v2/', maxCharacters: 10_000 };
