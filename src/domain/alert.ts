import * as names from './alert-fields.ts';

type State = 'firing' | 'resolved';
/** What an alert says of itself. All texts are foreign; the incident's key can be of any length. */
export type AlertDetails = Partial<ReturnType<typeof readAlert>> & { state: State };

/**
 * Reads any sender's body by the names in `alert-fields.ts`. The best name counts first, and its shallowest field; for the state,
 * the shallowest field of all names. What a thing in the alert (a host, a service) says of itself counts last.
 * @param body plain data, with JSON in its strings already unpacked
 * @param textOf takes the markup out of a text
 */
export function readAlert(body: unknown, textOf: (text: string) => string) {
  const all = fieldsOf(typeof body === 'string' ? { text: body } : body);
  const { own = [], things = [] } = Object.groupBy(all, ({ isThings }) => (isThings ? 'things' : 'own'));
  const alert = Map.groupBy(own, ({ name }) => name);
  const both = [alert, Map.groupBy(things, ({ name }) => name)];
  const wordsOf: Read<string> = ({ value, isSecret }) => (isSecret ? undefined : toWords(value, textOf));
  const title = titleOf(both, wordsOf);
  const numberOf: Read<string> = ({ value }) => (typeof value === 'number' ? `${value}` : undefined);
  const isClear = CLEAR_TITLE.test(title ?? '');
  // An alert that does not say that it is over is firing, since it was sent.
  const state: State = stateOf(both) ?? (isClear ? 'resolved' : 'firing');
  return {
    title,
    /** The system that sent the alert, and what it says of its part. */
    source: sourceOf(alert, wordsOf),
    severity: first(both, names.SEVERITIES, wordsOf) ?? first(both, names.SEVERITIES, numberOf),
    /** When the incident began (milliseconds since 1970). */
    startsAt:
      earliest(alert, names.BEGINNINGS) ?? (state === 'firing' ? earliest(alert, names.TIMES) : undefined),
    /** The same for all alerts of one incident of one sender. */
    incidentKey: incidentKeyOf(alert),
    state,
    /** An https address, where a person finds the alert. */
    link: first([alert], names.LINKS, ({ value }) => toLink(value)),
  };
}

/** `path`: the names of the objects around the field, the nearest last. `beside`: the names beside it. */
type Field = ReturnType<typeof fieldsOf>[number];
type Fields = ReadonlyMap<string, readonly Field[]>;
type Read<T, Row = names.Named> = (field: Field, row: Row) => T | undefined;

/** More than a known name has. Whole names, put together for each field, would take seconds for a hostile body. */
const LONGEST_NAME = 200;

/** Every named value, level by level. What stands in a list has the list's name. */
function fieldsOf(body: unknown) {
  const fields = [];
  const queue = [{ value: body, path: [] as string[], isThings: false, isSecret: false }];
  for (const { value: whole, ...around } of queue) {
    if (typeof whole !== 'object' || whole === null) continue;
    if (Array.isArray(whole)) {
      for (const value of whole) queue.push({ value, ...around });
      continue;
    }
    const named = Object.entries(whole).map(([key, value]) => [names.plain(key), value] as const);
    const beside = new Set(named.map(([name]) => name));
    for (const [name, given] of named) {
      const value = Array.isArray(given) ? inStateOf(whole, given) : given;
      const isSecret = around.isSecret || names.SECRETS.test(name);
      fields.push({ ...around, name, value, beside, isSecret });
      const isThings = around.isThings || names.THINGS.test(name);
      const path = [...around.path, name.slice(-LONGEST_NAME)];
      if (typeof value === 'object') queue.push({ value, path, isThings, isSecret });
    }
  }
  return fields;
}

/** Returns a group's alerts, those in the group's state first. */
export function inStateOf({ status }: { status?: unknown }, list: readonly unknown[]): readonly unknown[] {
  if (typeof status !== 'string') return list;
  const isSame = (each: unknown) => Object(each).status === status;
  return [...list.filter(isSame), ...list.filter((each) => !isSame(each))];
}

/** What `read` makes of the first field that it makes anything of: of the first fields, under the first row's name. */
function first<T, Row extends names.Named>(all: readonly Fields[], rows: readonly Row[], read: Read<T, Row>) {
  for (const fields of all)
    for (const row of rows)
      for (const field of fields.get(row.name) ?? []) {
        const found = read(field, row);
        if (found !== undefined) return found;
      }
  return undefined;
}

/** The alert's words under a name for them, or its first sentence; else the things'; else the nearest to a title. */
function titleOf(both: readonly Fields[], wordsOf: Read<string>): string | undefined {
  const told: Read<string> = (field, row) => {
    if (field.path.some((name) => names.BUTTONS.includes(name))) return undefined;
    const words = wordsOf(field, row) ?? '';
    const isAddress = /^[a-z]+:\/\/\S+$/i.test(words);
    return !isAddress && /\p{L}/u.test(words.replaceAll(/\b[\da-f]+\b/gi, '')) ? words : undefined; // No number.
  };
  const sentence: Read<string> = (field, row) => {
    const words = typeof field.value === 'string' ? told(field, row) : undefined;
    return isSentence(words ?? '') ? words : undefined;
  };
  const titles = both.map((fields) => {
    const anyName = [...fields.keys()].map((name) => ({ name }));
    return first([fields], names.TITLES, told) ?? first([fields], anyName, sentence);
  });
  return titles[0] ?? titles[1] ?? first(both, names.WEAK_TITLES, told);
}

/** Whether three words in a row have letters. One expression for all three would take long for hostile words. */
function isSentence(words: string): boolean {
  const haveLetters = words.split(' ').map((word) => /\p{L}{2}/u.test(word));
  return haveLetters.some((has, at) => has && haveLetters[at + 1] && haveLetters[at + 2]);
}

function sourceOf(alert: Fields, wordsOf: Read<string>): string | undefined {
  const sender = names.SENDERS.find(({ has }) => has.every((name) => alert.has(name)));
  if (sender === undefined) return first([alert], names.SOURCES, wordsOf);
  const part = sender.part && first([alert], [{ name: sender.part }], wordsOf);
  return part ? `${sender.name}, ${part}` : sender.name;
}

/** How titles mark an end: `Resolved in 5m: ...` and `OK: ...` (Zabbix), `[Recovered] ...` (Datadog), `... (resolved)`. */
const CLEAR_TITLE =
  /^[^\p{L}]*(?:(?:resolved|recovered|recovery|cleared)(?:\s+(?:in|on)\b|\s*(?:[\]):-]|$))|ok\s*[\]:])|\((?:resolved|recovered)\)$/iu;

/** What the shallowest field for a state says: an alert's own word counts before that of a part. */
function stateOf(both: readonly Fields[]): State | undefined {
  for (const fields of both) {
    const said = names.STATES.flatMap((row) =>
      (fields.get(row.name) ?? []).flatMap((field) => {
        const state = readState(field, row);
        return state === undefined ? [] : { state, depth: field.path.length };
      }),
    );
    const [shallowest] = said.toSorted((one, other) => one.depth - other.depth);
    if (shallowest) return shallowest.state;
  }
  return undefined;
}

/** No sender has a longer word for a state. */
const LONGEST_STATE = 100;

function readState(
  { value, path }: Field,
  { under, resolved = [], firing = [], isEnding }: names.StateField,
): State | undefined {
  if (path.some((name) => names.FINDINGS.includes(name))) return undefined;
  if (under !== undefined && (path.at(-1) ?? '') !== under) return undefined;
  const [text = ''] = textsOf(value);
  if (text.length > LONGEST_STATE) return undefined;
  const [, now = text] = /\(now: ([^)]*)\)\s*$/i.exec(text) ?? []; // PRTG: `Down ended (now: Up)`.
  const word = names.plain(isEnding ? (/\p{L}+\s*$/u.exec(now)?.[0] ?? '') : now);
  if (resolved.includes(word)) return 'resolved';
  if (firing.includes(word)) return 'firing';
  if (names.RESOLVED.includes(word)) return 'resolved';
  return names.FIRING.includes(word) ? 'firing' : undefined;
}

/** With the name of its field, because two senders can count from 1. */
function incidentKeyOf(alert: Fields): string | undefined {
  const named: Read<string, names.IncidentId> = ({ value, beside }, row) => {
    const { name, form, beside: mark = name, joined = [] } = row;
    const key = beside.has(mark) ? toKey(value, form) : undefined;
    if (key === undefined) return undefined;
    const isBeside = (field: Field) => field.beside === beside;
    const parts = joined.flatMap((each) => toKey(alert.get(each)?.find(isBeside)?.value) ?? []);
    return [name, key, ...parts].join(' ');
  };
  return (
    first([alert], names.INCIDENT_IDS, named) ??
    first([alert], [{ name: 'id' }], ({ value, path, beside }) => {
      const isIncidents = [1, 2].some((depth) =>
        names.INCIDENT_OBJECTS.includes(path.slice(-depth).join('.')),
      );
      const isDelivery = names.DELIVERY_MARKS.some((mark) => beside.has(mark));
      const key = isIncidents && !isDelivery ? toKey(value) : undefined;
      return key && `${path.at(-1) ?? ''}id ${key}`; // Sentry's `issue.id` is the `issue_id` of its alert.
    })
  );
}

function toKey(value: unknown, form = /./): string | undefined {
  const key = typeof value === 'number' ? `${value}` : value;
  return typeof key === 'string' && form.test(key) ? key : undefined;
}

/** The earliest time of a group's alerts: under the best name, of those as deep as the first. */
function earliest(alert: Fields, rows: readonly names.Named[]): number | undefined {
  return first([alert], rows, (begun, { name }) => {
    if (toTime(begun.value) === undefined) return undefined;
    const beside = (alert.get(name) ?? []).filter(({ path }) => path.length === begun.path.length);
    return beside.flatMap(({ value }) => toTime(value) ?? []).toSorted((one, other) => one - other)[0];
  });
}

/** A value as text; an object speaks by its summary or name. */
function textsOf(value: unknown): string[] {
  const { summary, name } = Object(typeof value === 'object' && !Array.isArray(value) ? value : {});
  return [value, summary, name].flatMap((each) =>
    typeof each === 'string' || typeof each === 'number' ? [`${each}`] : [],
  );
}

const MOST_CHARACTERS = 200;
/** A text without markup on one line; undefined if there is none. Reads no further than a title can need. */
function toWords(value: unknown, textOf: (text: string) => string): string | undefined {
  const [text] = typeof value === 'number' ? [] : textsOf(value);
  if (text === undefined) return undefined;
  const plain = textOf(text.slice(0, 20 * MOST_CHARACTERS));
  const words = plain.replaceAll(/\s+/g, ' ').trim();
  return words.length > MOST_CHARACTERS ? `${words.slice(0, MOST_CHARACTERS).trim()}...` : words || undefined;
}

/** Reads ISO times, and seconds or milliseconds since 1970 as the years from 2001 to 2286 have them. */
function toTime(value: unknown): number | undefined {
  const [only, ...others] = [value].flat();
  if (others.length > 0 || typeof only === 'object') return undefined; // An object's own `toString` may be no function.
  const text = `${only}`;
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{13}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return ms > 0 ? ms : undefined; // Alertmanager says the year 1 for "never".
}

/** An https address without user and password, which could make one host look like another. */
function toLink(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= 2000 ? URL.parse(value) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
}
