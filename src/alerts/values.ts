import { readHtml } from '../domain/html.ts';

const ADDRESS = /(?:[\da-f]{2}[:. -]){5}[\da-f]{2}|(?:[\da-f]{4}[.:-]){2}[\da-f]{4}|^[\da-f]{12}$/i;

/** Takes the markup out of a text, but no address: a tag can hold one as an attribute, or be a part of a log's line. */
export function toText(text: string): string {
  if (!text.includes('<') && !text.includes('&')) return text;
  const inText = text.replace(/<([^<>]+)>/g, (tag, inner) => (ADDRESS.test(inner) ? ` ${inner} ` : tag));
  return readHtml(inText).text;
}

const MAX_TITLE = 200;

/** Returns texts without markup on one line; undefined for an address, or without a letter that is part of a word. */
export function toHeadline(texts: readonly string[]): string | undefined {
  const text = texts.join(' ').slice(0, 20 * MAX_TITLE); // A title needs no more of it.
  const line = toText(text).replaceAll(/\s+/g, ' ').trim();
  const hasLetter = /\p{L}/u.test(line.replaceAll(/\b(?:[\da-f]+|true|false)\b/gi, ''));
  if (!hasLetter || /^[a-z]+:\/\/\S+$/i.test(line)) return undefined;
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE).trim()}...` : line;
}

/** Reads ISO times, and seconds or milliseconds since 1970 as the years from 2001 to 2286 have them. */
export function toTime(text: string): number | undefined {
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{13}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return ms > 0 ? ms : undefined; // Alertmanager's "never" is the year 1.
}

/** An https address without user and password, which could make one host look like another. */
export function toLink(text: string): string | undefined {
  const url = text.length <= 2000 ? URL.parse(text) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
}
