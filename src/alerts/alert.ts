import type { AlertDetails, State } from '../domain/incident.ts';
import { findMacAddresses, type MacAddress } from '../domain/mac-address.ts';
import { ABOUT, BEHIND, type Field, type Part, toFields, toText, toWords } from './fields.ts';
import * as terms from './terms.ts';

/**
 * Reads the details and the devices of an alert in any sender's body, by the form and the place of its fields.
 * @param body plain data of at most 64 levels
 */
export function readAlert(body: unknown): { details: AlertDetails; devices: MacAddress[] } {
  const inOrder = toFields(body);
  const fields = inOrder
    .filter(({ words }) => !terms.PAST.test(words))
    .toSorted((one, other) => one.part.depth - other.part.depth);
  const own = fields.filter(({ isShown, part }) => isShown && part.about < ABOUT.thing);
  const things = fields.filter(({ isShown, part }) => isShown && part.about === ABOUT.thing);
  const { key: incidentKey, part } = readIdentity(fields);
  const sign = readState(fields, part, incidentKey);
  // An alert without a state is firing, since it was sent.
  const state = sign?.state ?? (own.some(marksEnd) ? 'resolved' : 'firing');
  const details = {
    title: readTitle(own, things, sign?.word),
    source: readSource(own),
    severity: firstIn(own, terms.SEVERITIES, firstText) ?? firstIn(own, terms.SEVERITIES, firstNumber),
    startsAt:
      earliest(fields, terms.BEGINNING) ?? (state === 'firing' ? earliest(fields, terms.SENT) : undefined),
    incidentKey,
    state,
    link: readLink(fields, part),
  };
  return { details, devices: findDevices(inOrder) };
}

function firstIn<T>(fields: readonly Field[], names: readonly RegExp[], read: (field: Field) => T) {
  const named = names.values().flatMap((name) => fields.values().filter(({ words }) => name.test(words)));
  return named.map(read).find(Boolean);
}

const firstText = ({ texts }: Field) => toHeadline(texts.slice(0, 1));
const firstNumber = ({ texts: [text = ''] }: Field) => /^\d[\d.]*$/.exec(text)?.[0];

const marksEnd = ({ words, texts: [text = ''] }: Field) =>
  ((/^ok$/i.test(text) || terms.OVER.test(text)) && /sev|level/.test(words)) ||
  (terms.HEADLINE.test(words) && terms.CLEAR_TITLE.test(toHeadline([text]) ?? ''));

/**
 * Returns the key of an incident, the same in all its alerts, and the object that holds it. The id's name is a part of it, because
 * two senders can count from 1.
 */
function readIdentity(fields: readonly Field[]): { key?: string; part?: Part } {
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
 * Returns the alert's state; undefined if no field has one. The object with the identity counts first, then one that is called an
 * alert, then the outermost. In one object a word counts before a number or an event's name, and firing before the end. No state
 * of a thing or a finding counts. In an object of another name, only `resolved` and its like count, unless it tells of the alert.
 */
function readState(fields: readonly Field[], own: Part | undefined, key = 'id '): Sign | undefined {
  const hasAlert = !/^(?:id|sysid|number|eventid) /.test(key);
  const signs = fields.flatMap((field) => {
    const { part, words, texts } = field;
    const isAlert = part === own || part.about === ABOUT.alert || /^al(?:ert|arm) stat/.test(words);
    if ((!isAlert && part.about > ABOUT.other) || `${texts[0]}`.length > terms.MAX_STATE) return [];
    const sign = (isAlert ? flagIn(field) : undefined) ?? signIn(field, hasAlert && isAlert);
    const isAboutAlert = isAlert || hasOne(part, ...FACTS);
    if (!sign || (!isAboutAlert && !terms.OVER.test(sign.word ?? ''))) return [];
    const isIncident = part.depth < BEHIND && terms.INCIDENT.test(part.words) && !part.words.endsWith('s');
    const place = part === own ? -2 : isIncident ? -1 : part.depth;
    return { ...sign, rank: 4 * place + (sign.isHint ? 2 : 0) + (sign.state === 'resolved' ? 1 : 0) };
  });
  return signs.toSorted((one, other) => one.rank - other.rank)[0];
}

function flagIn({ words, texts: [text = ''] }: Field): Sign | undefined {
  // A date without a time is when something expires.
  const isTime = /^(?!0|1970-01-01)(?:\d{10}|(?=.*\d{4}).*\d:\d)/.test(text);
  if (isTime && terms.ENDINGS.test(words)) return { state: 'resolved' };
  const word = terms.FLAG.exec(words)?.[1] ?? '';
  const isFlag = /^(?:true|false|yes|no)$/i.test(text) || (words.startsWith('is ') && /^[01]$/.test(text));
  if (!isFlag || terms.NO_FLAG.test(word) || !isStateWord(word)) return undefined;
  const isEnd = terms.ENDS.has(word) === /^(?:true|yes|1)$/i.test(text);
  return { state: isEnd ? 'resolved' : 'firing' };
}

function signIn({ key, words, texts: [word = ''] }: Field, isOfAlert: boolean): Sign | undefined {
  const isStatus = terms.STATUS.test(words);
  if ((!isStatus && !terms.EVENT.test(words)) || terms.NO_STATE.test(words)) return undefined;
  // A firewall's verdict on a connection, which is never `resolved`.
  if (/(?:^|\.)action$/i.test(key) && !isOfAlert && !/^resolved?$/i.test(word)) return undefined;
  const number = terms.NUMBERS.exec(`${words} ${word}`)?.groups;
  if (number) return { state: number.end ? 'resolved' : 'firing', isHint: true };
  const state = readWords(word, isStatus);
  return state && { state, word, isHint: !isStatus };
}

const isStateWord = (word = '') => terms.ENDS.has(word) || terms.STARTS.has(word);

function readWords(text: string, isStatus: boolean): State | undefined {
  // `DOWN -> UP`, PRTG's `Down ended (now: Up)`; `Resolved by system`, `Closed: duplicate`.
  const now = text
    .replace(/^.*(?:->|\u2192|\(now:)/is, '')
    .replace(/(?<=\w)(?:[ _](?:by|as|from|after)[ _]|: | - | ?\().*$/is, '');
  if (isStatus && /^(?:resolved|closed)_/i.test(now)) return 'resolved'; // `resolved_false_positive`
  const all = toWords(now).split(' ');
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

/** Returns the best headline: the alert's words before those of the things in it. Undefined if there is no word. */
function readTitle(own: readonly Field[], things: readonly Field[], state?: string): string | undefined {
  const thing = firstWords([...own, ...things], terms.THING_NAMES, 1);
  for (const fields of [own, things])
    for (const [name, minWords] of terms.TITLES) {
      const title = firstWords(fields, [name], minWords);
      if (title) return thing && minWords === 1 && !title.includes(thing) ? `${thing}: ${title}` : title;
    }
  const any = firstWords(own, [terms.HEADLINE, terms.KIND, terms.DESCRIPTION], 0);
  const said = (firstWords(own, [terms.KIND], 0) ?? state)?.replaceAll('_', ' ');
  return thing && said && said !== thing.replaceAll('_', ' ') ? `${thing}: ${said}` : (thing ?? any);
}

function firstWords(fields: readonly Field[], names: readonly RegExp[], minWords: number) {
  return firstIn(fields, names, ({ texts }) => {
    const text = toHeadline(texts) ?? '';
    const isEmpty = terms.EMPTY.test(text) || toWords(text).split(' ').every(isStateWord);
    return isEmpty || (text.match(terms.WORD)?.length ?? 0) < minWords ? undefined : text;
  });
}

function earliest(fields: readonly Field[], name: RegExp): number | undefined {
  const named = fields.filter(({ words, part }) => part.about < ABOUT.finding && name.test(words));
  const times = named.flatMap(({ texts: [text = ''] }) => toTime(text) ?? []);
  return times.toSorted((one, other) => one - other)[0];
}

/** Returns the alert's page: a link of its own object, never of a thing in it nor of the page that a monitor looks at. */
function readLink(fields: readonly Field[], own: Part | undefined): string | undefined {
  const monitored = new Set(fields.flatMap(({ words, part }) => (terms.MONITORED.test(words) ? part : [])));
  return firstIn(fields, terms.LINKS, ({ words, part, texts: [text = ''] }) => {
    if (part.about !== ABOUT.alert && part !== own) return undefined;
    const link = toLink(text);
    const isItsPage = part === own || terms.DEEP.test(link ?? '');
    return words === 'url' && (monitored.has(part) || !isItsPage) ? undefined : link;
  });
}

function readSource(own: readonly Field[]): string | undefined {
  const isThere = (name: string) => own.some(({ part }) => part.names.has(name));
  const [, sender] = terms.SENDERS.find(([names = '']) => names.split('+').every(isThere)) ?? [];
  return sender ?? firstIn(own, [terms.SOURCE], firstText);
}

const MAX_TITLE = 200;
function toHeadline(texts: readonly string[]): string | undefined {
  const text = texts.join(' ').slice(0, 20 * MAX_TITLE); // A title needs no more of it.
  const line = toText(text).replaceAll(terms.SPACE, ' ').trim();
  const hasLetter = /\p{L}/u.test(line.replaceAll(/\b(?:[\da-f]+|true|false)\b/gi, ''));
  if (!hasLetter || /^(?:[a-z]+:\/\/\S+|\/?\w+\/\S+\/\S+)$/i.test(line)) return undefined;
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE).trim()}...` : line;
}

/** Reads ISO times, and seconds or milliseconds since 1970 as the years from 2001 to 2286 have them. */
function toTime(text: string): number | undefined {
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{13}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return ms > 0 ? ms : undefined; // Alertmanager's "never" is the year 1.
}

/** An https address without user and password, which could make one host look like another; none of an API. */
function toLink(text: string): string | undefined {
  const url = text.length <= 2000 ? URL.parse(text) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return /^https:\/\/(?:api\.|[^/]+\/api\/)/.test(url.href) ? undefined : url.href;
}

/**
 * Returns the devices, each once and in order. Twelve digits without a separator can be a container's host name or a digest. They
 * count only as the whole value of a field for a device's address, or right behind a word for one.
 */
function findDevices(fields: readonly Field[]): MacAddress[] {
  const found = fields.flatMap(({ key, words, texts, part }) => {
    const isAddress = terms.ADDRESS.test(terms.INNER.test(words) ? part.words : words);
    const clear = texts.map((text) => withClearDigits(toText(text), isAddress));
    if (terms.SERIAL.test(words)) return clear.filter((text) => terms.PAIRS.test(text));
    return /[:.-]/.test(key) ? [withClearDigits(key, false), ...clear] : clear; // A field can be named by its device.
  });
  return findMacAddresses(found.join('\n').replace(terms.LOST_ZERO, '0'));
}

function withClearDigits(text: string, isAddress: boolean): string {
  const isWhole = isAddress && terms.ONLY_DIGITS.test(text);
  return text.replace(terms.DIGITS, (digits, at: number) => {
    const address = digits.replaceAll(/..(?=.)/g, '$&:');
    if (isWhole) return address;
    const isLabelled = terms.ADDRESS_LABEL.test(text.slice(Math.max(0, at - terms.MAX_LABEL), at));
    const isHost = /^[.:/@-]\w/.test(text.slice(at + digits.length, at + digits.length + 2));
    return isLabelled && !isHost ? ` ${address} ` : 'x';
  });
}
