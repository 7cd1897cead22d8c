/** Endpoint 5, the legacy form: `POST {base}/webhook/<token>` with `{"text"}`. */
export const legacy = {
  path: (token: string) => `/webhook/${token}`,
  body: (text: string) => JSON.stringify({ text }),
  maxCharacters: 10_000,
};
