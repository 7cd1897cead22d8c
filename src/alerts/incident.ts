import type { State } from '../domain/incident.ts';
import { ABOUT, BEHIND, type Field, type Part } from './fields.ts';
import * as terms from './terms.ts';

/**
 * Returns what is the same in all alerts of an incident, and the object that holds it. The id's name is a part of it, because
 * two senders can count from 1.
 */
export function readIdentity(fields: readonly Field[]): { key?: string; part?: Part } {
  const isNotified = fields.some(({ words, part }) => terms.NOTIFICATION.test(`${part.words} ${words}`));
  const check = fields.flatMap(({ words, texts }) => (isNotified && terms.CHECK.test(words) ? texts : []));
  for (const { name, form = /[^\W0]/, isBare } of terms.IDS)
    for (const { words, texts, part } of fields) {
      const [id = ''] = texts;
      if (!name.test(words) || part.depth >= BEHIND || !form.test(id)) continue;
      if (isBare && (check.length > 0 || !isOwnId(part))) continue;
      const isJoined = (each: Field) =>
        /^al(?:ert|arm)/.test(words) && each.part === part && terms.JOINED.test(each.words);
      const others = fields.filter(isJoined).flatMap((each) => each.texts);
      return { key: [words.replaceAll(' ', ''), id, ...others].join(' '), part };
    }
  return check.length > 0 ? { key: ['check', ...new Set(check)].join(' ') } : {};
}

/** Whether an object's `id` is the alert's: in details of an alert, and in a delivery, it is another one. */
function isOwnId(part: Part): boolean {
  const { about, words, parent } = part;
  const isDetail = words === 'data' && parent !== undefined && hasOne(parent, ...FACTS);
  const isEvent = hasOne(part, 'eventtype') && !hasOne(part, 'status', 'state');
  const isEnvelope =
    hasOne(part, 'detailtype', 'specversion', 'check') ||
    (words === 'event' && parent?.names.has('data')) ||
    (hasOne(part, 'type', 'event', 'topic', 'action') && hasOne(part, 'data', 'payload', 'object'));
  return about === ABOUT.alert && !isDetail && !isEvent && !isEnvelope;
}

/** An object with one of these tells of the alert, and its contents are details. */
const FACTS = ['title', 'subject', 'summary', 'message', 'text', 'description', 'severity', 'priority'];
const hasOne = ({ names }: Part, ...all: string[]) => all.some((name) => names.has(name));

/** `word`: as in the alert. `isHint`: a number, or an event's name, which many senders keep at the end. */
type Sign = { state: State; word?: string; isHint?: boolean };

/**
 * Returns the alert's state; undefined if no field has one. The object that gives the identity counts first, then
 * the outermost. On one object a word counts before a number or an event's name, and firing before the end. The state of a
 * thing in the alert is not the alert's, nor is what was found, or was before; in an object of another name, only `resolved`
 * and its like count, unless it tells of the alert.
 */
export function readState(fields: readonly Field[], own: Part | undefined, key = 'id '): Sign | undefined {
  const hasAlert = !/^(?:id|sysid|number|eventid) /.test(key);
  const signs = fields.flatMap((field) => {
    const { part } = field;
    const isAlert = part === own || part.about === ABOUT.alert || /^al(?:ert|arm) stat/.test(field.words);
    if (!isAlert && part.about > ABOUT.other) return [];
    const sign = (isAlert ? flagIn(field) : undefined) ?? signIn(field, hasAlert && isAlert);
    const isTold = isAlert || hasOne(part, ...FACTS);
    if (!sign || (!isTold && !terms.OVER.test(sign.word ?? ''))) return [];
    const place = part === own ? -1 : part.depth;
    return { ...sign, rank: 4 * place + (sign.isHint ? 2 : 0) + (sign.state === 'resolved' ? 1 : 0) };
  });
  return signs.toSorted((one, other) => one.rank - other.rank)[0];
}

function flagIn({ words, texts: [text = ''] }: Field): Sign | undefined {
  // A date without a time is when something expires.
  const isTime =
    text.length <= MAX_STATE && DATE.test(text) && /^(?!0|1970-01-01)(?:\d{10}|.*\d:\d)/.test(text);
  if (isTime && terms.ENDINGS.test(words)) return { state: 'resolved' };
  const word = terms.FLAG.exec(words)?.[1] ?? '';
  const isFlag = /^(?:true|false|yes|no)$/i.test(text) || (words.startsWith('is ') && /^[01]$/.test(text));
  if (!isFlag || terms.NO_FLAG.test(word) || !isStateWord(word)) return undefined;
  const isEnd = terms.ENDS.has(word) === /^(?:true|yes|1)$/i.test(text);
  return { state: isEnd ? 'resolved' : 'firing' };
}

const DATE = /\d{4}[-/.]\d\d?[-/.]\d|\d[-/.]\d\d?[-/.]\d{4}|[a-z]{3} \d.*\d{4}|\d [a-z]{3}.*\d{4}|^\d{10}/i;

function signIn({ key, words, texts: [word = ''] }: Field, isOfAlert: boolean): Sign | undefined {
  const isStatus = terms.STATUS.test(words);
  if ((!isStatus && !terms.EVENT.test(words)) || terms.NO_STATE.test(words)) return undefined;
  // A log's verdict on what it logs. No connection resolves.
  if (/(?:^|\.)action$/i.test(key) && !isOfAlert && !/^resolved?$/i.test(word)) return undefined;
  const number = terms.NUMBERS.exec(`${words} ${word}`)?.groups;
  if (number) return { state: number.end ? 'resolved' : 'firing', isHint: true };
  const state = readWords(word, isStatus);
  return state && { state, word, isHint: !isStatus };
}

/** Whether a word alone is a state. */
export const isStateWord = (word = '') => terms.ENDS.has(word) || terms.STARTS.has(word);

const MAX_STATE = 100;

function readWords(text: string, isStatus: boolean): State | undefined {
  if (text.length > MAX_STATE) return undefined;
  // `DOWN -> UP`, PRTG's `Down ended (now: Up)`; `Resolved by system`, `Closed: duplicate`.
  const now = text
    .replace(/^.*(?:->|\u2192|\(now:)/is, '')
    .replace(/(?<=\w)(?:[ _](?:by|as|from|after)[ _]|: | - | ?\().*$/is, '');
  if (isStatus && /^(?:resolved|closed)_/i.test(now)) return 'resolved'; // `resolved_false_positive`
  const all = terms.toWords(now).split(' ');
  if (terms.AROUND.test(all.at(-1) ?? '') && isStateWord(all.at(-2))) all.pop();
  const last = all.pop() ?? '';
  const isWhole = all.every((word) => terms.AROUND.test(word));
  const isName = !/\s/.test(now.trim()); // `AP_CONNECTED`
  const isOfThing = isName || all.every((word) => terms.AROUND.test(word) || terms.OF_THING.test(word));
  if (terms.STARTS.has(last) && isOfThing) return !isStatus && terms.NOUNS.test(last) ? undefined : 'firing';
  if (!terms.ENDS.has(last)) return undefined;
  const isEnd = isWhole || (isOfThing && !terms.NO_END.test([...all, last].join(' ')));
  return isEnd ? 'resolved' : undefined;
}
