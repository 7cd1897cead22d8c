/** Endpoint 4: `POST {base}/webhook/v2/<token>` with `{"text"}`. */
export const v2 = {
  path: (token: string) => `/webhook/v2/${token}`,
  body: (text: string) => JSON.stringify({ text }),
  maxCharacters: 10_000,
};
