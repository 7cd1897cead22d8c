import { createHash } from 'node:crypto';
import type { AlertDetails } from '../../../dialogs/answers/alert-details.ts';
import { textOf } from './texts.ts';

/** What a reader found in a body; anything can have any form. `link` can be a list, the best first. */
type Found = Record<Exclude<keyof AlertDetails, 'state'>, unknown> & Pick<AlertDetails, 'state'>;

/** Keeps what has a usable form: texts of some words on one line, a time, and an https address. */
export function toDetails({
  title,
  source,
  severity,
  startsAt,
  incidentKey,
  state,
  link,
}: Found): AlertDetails {
  const known = {
    title: toWords(title),
    source: toWords(source),
    severity: toWords(severity),
    startsAt: toTime(startsAt),
    incidentKey: toKey(incidentKey),
    link: [link]
      .flat()
      .map(toLink)
      .find((each) => each !== undefined),
  };
  const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return { ...given, state };
}

/** Longer titles would fill a phone's screen. */
const MOST_CHARACTERS = 200;

/** A text without markup on one line; undefined if there is none. Reads no further than a title can need. */
export function toWords(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const words = textOf(text.slice(0, 20 * MOST_CHARACTERS))
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (words === '') return undefined;
  return words.length > MOST_CHARACTERS ? `${words.slice(0, MOST_CHARACTERS).trim()}...` : words;
}

const LONGEST_KEY = 1000;

/** A key that any sender can make is at most 1,000 characters long; a longer one becomes its digest. */
function toKey(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  return text.length <= LONGEST_KEY ? text : createHash('sha256').update(text).digest('hex');
}

function toTime(text: unknown): number | undefined {
  const ms = typeof text === 'string' && /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return ms > 0 ? ms : undefined; // Alertmanager says the year 1 for "never".
}

const LONGEST_LINK = 2000;

/** An https address without user and password, which could make one host look like another. */
function toLink(text: unknown): string | undefined {
  const url = typeof text === 'string' && text.length <= LONGEST_LINK ? URL.parse(text) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
}
