/** Endpoint 5, the legacy form: `POST {base}/webhook/<token>` with `{"text"}`. */
export const legacy = { path: '/webhook/', maxCharacters: 10_000 };
