/**
 * A plain value that a database can keep as JSON: in its texts, NUL and halves of surrogate pairs become U+FFFD. Postgres
 * refuses both in `jsonb`.
 */
export function storable<T>(value: T): T {
  const json = JSON.stringify(value);
  if (!UNSTORABLE.test(json)) return value;
  return JSON.parse(json, (_name, each) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '\uFFFD') : each,
  );
}

/** NUL and lone surrogates are what JSON writes so (ECMA-262, "QuoteJSONString"). A backslash before may make them plain text. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;
