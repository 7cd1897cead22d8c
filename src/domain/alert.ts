import {
  BEGINNINGS,
  DELIVERY_MARKS,
  FIRING,
  INCIDENT_IDS,
  INCIDENT_OBJECTS,
  LINKS,
  RESOLVED,
  SECRETS,
  SENDERS,
  SEVERITIES,
  SOURCES,
  STATES,
  THINGS,
  TIMES,
  TITLES,
  WEAK_TITLES,
} from './alert-fields.ts';

/** What an alert says of itself. All texts are foreign; the incident's key can be of any length. */
export type AlertDetails = {
  title?: string | undefined;
  /** The system that sent the alert, and what it says of its part. */
  source?: string | undefined;
  severity?: string | undefined;
  /** When the incident began (milliseconds since 1970). */
  startsAt?: number | undefined;
  /** The same for all alerts of one incident of one sender. */
  incidentKey?: string | undefined;
  /** An alert that does not say that it is over is firing, since it was sent. */
  state: 'firing' | 'resolved';
  /** An https address, where a person finds the alert. */
  link?: string | undefined;
};

/**
 * Reads any sender's body by the names in `alert-fields.ts`: the best name first; of one name, the shallowest field; what a
 * thing in the alert (a host, a service) says of itself, last. Pure.
 * @param body plain data, with JSON in its strings already unpacked
 * @param textOf takes the markup out of a text
 */
export function readAlert(body: unknown, textOf: (text: string) => string): AlertDetails {
  const all = fieldsOf(typeof body === 'string' ? { text: body } : body);
  const fields = { own: byName(all, false), things: byName(all, true) };
  const wordsOf = ({ value, isSecret }: Field) => (isSecret ? undefined : toWords(value, textOf));
  const title = titleOf(fields, wordsOf);
  const state = stateOf(fields) ?? (CLEAR_TITLE.test(title ?? '') ? 'resolved' : 'firing');
  const timeOf = ({ value }: Field) => toTime(value);
  return {
    title,
    source: sourceOf(fields, wordsOf),
    severity:
      first(fields, SEVERITIES, wordsOf) ??
      first(fields, SEVERITIES, ({ value }) => (typeof value === 'number' ? `${value}` : undefined)),
    startsAt:
      earliest(fields, BEGINNINGS, timeOf) ??
      (state === 'firing' ? earliest(fields, TIMES, timeOf) : undefined),
    incidentKey: incidentKeyOf(fields),
    state,
    link: first(fields, LINKS, ({ value }) => toLink(value)),
  };
}

type Field = {
  name: string;
  value: unknown;
  /** The names of the objects around it, the nearest last. */
  path: readonly string[];
  /** The names beside it. */
  beside: ReadonlySet<string>;
  isThings: boolean;
  isSecret: boolean;
};
type Named = ReadonlyMap<string, readonly Field[]>;
type Fields = { own: Named; things: Named };

/** A name as it is compared. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Every named value, level by level. What stands in a list has the list's name. */
function fieldsOf(body: unknown): Field[] {
  const fields: Field[] = [];
  const queue = [{ value: body, path: [] as string[], isThings: false, isSecret: false }];
  for (const { value: whole, ...around } of queue) {
    if (typeof whole !== 'object' || whole === null) continue;
    if (Array.isArray(whole)) {
      for (const value of whole) queue.push({ value, ...around });
      continue;
    }
    const named = Object.entries(whole).map(([key, value]) => [plain(key), value] as const);
    const beside = new Set(named.map(([name]) => name));
    for (const [name, given] of named) {
      const value = Array.isArray(given) ? inStateOf(whole, given) : given;
      const isSecret = around.isSecret || SECRETS.test(name);
      fields.push({ ...around, name, value, beside, isSecret });
      if (typeof value !== 'object') continue;
      const isThings = around.isThings || THINGS.test(name);
      queue.push({ value, path: [...around.path, name], isThings, isSecret });
    }
  }
  return fields;
}

/** Of a group's alerts, those in the group's state first. */
function inStateOf({ status }: { status?: unknown }, list: readonly unknown[]): readonly unknown[] {
  if (typeof status !== 'string') return list;
  const { same = [], other = [] } = Object.groupBy(list, (each) =>
    Object(each).status === status ? 'same' : 'other',
  );
  return [...same, ...other];
}

function byName(fields: readonly Field[], isThings: boolean): Named {
  return Map.groupBy(
    fields.filter((each) => each.isThings === isThings),
    ({ name }) => name,
  );
}

/** What `read` makes of the first field under the first of these names that it makes anything of. */
function first<T>({ own, things }: Fields, names: readonly string[], read: (field: Field) => T | undefined) {
  return firstOf(own, names, read) ?? firstOf(things, names, read);
}

function firstOf<T>(named: Named, names: readonly string[], read: (field: Field) => T | undefined) {
  for (const name of names) {
    for (const field of named.get(plain(name)) ?? []) {
      const found = read(field);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

type Words = (field: Field) => string | undefined;

/** The alert's words under a name for them, or its first sentence; else the things'; else the nearest to a title. */
function titleOf({ own, things }: Fields, wordsOf: Words): string | undefined {
  const told: Words = (field) => titleIn(wordsOf(field));
  return (
    [own, things]
      .map((named) => firstOf(named, TITLES, told) ?? firstOf(named, [...named.keys()], sentenceIn(told)))
      .find((words) => words !== undefined) ?? first({ own, things }, WEAK_TITLES, told)
  );
}

/** Neither an address alone, nor numbers. */
function titleIn(words = ''): string | undefined {
  const isTitle = /\p{L}/u.test(words.replaceAll(/\b[\da-f]+\b/gi, '')) && !/^[a-z]+:\/\/\S+$/i.test(words);
  return isTitle ? words : undefined;
}

function sentenceIn(told: Words): Words {
  return (field) => {
    const words = typeof field.value === 'string' ? told(field) : undefined;
    return /\p{L}{2,}\S*\s+\S*\p{L}{2,}\S*\s+\S*\p{L}{2,}/u.test(words ?? '') ? words : undefined;
  };
}

function sourceOf(fields: Fields, wordsOf: Words): string | undefined {
  const sender = SENDERS.find(({ has }) => has.every((name) => fields.own.has(plain(name))));
  if (sender === undefined) return firstOf(fields.own, SOURCES, wordsOf);
  const part = sender.part && firstOf(fields.own, [sender.part], wordsOf);
  return part ? `${sender.name}, ${part}` : sender.name;
}

/** How Zabbix and Datadog begin the title of an end: `Resolved in 5m: ...`, `[Recovered] ...`. */
const CLEAR_TITLE = /^[^\p{L}]*(?:resolved|recovered|recovery|cleared)(?:\s+(?:in|on)\b|\s*(?:[\]):-]|$))/iu;
const STATE_WORDS = { resolved: new Set(RESOLVED.map(plain)), firing: new Set(FIRING.map(plain)) };

function stateOf({ own, things }: Fields): AlertDetails['state'] | undefined {
  for (const named of [own, things]) {
    for (const { name, under, resolved = [], firing = [], isEnding } of STATES) {
      const state = firstOf(named, [name], (field) => {
        if (under !== undefined && field.path.at(-1) !== under) return undefined;
        const [text = ''] = textsOf(field.value);
        const word = plain(isEnding ? (/\p{L}+\s*$/u.exec(text)?.[0] ?? '') : text);
        if (resolved.includes(word)) return 'resolved';
        if (firing.includes(word)) return 'firing';
        if (STATE_WORDS.resolved.has(word)) return 'resolved';
        return STATE_WORDS.firing.has(word) ? 'firing' : undefined;
      });
      if (state !== undefined) return state;
    }
  }
  return undefined;
}

const PLACES = new Set(['', ...INCIDENT_OBJECTS]);
const MARKS = DELIVERY_MARKS.map(plain);

function incidentKeyOf({ own }: Fields): string | undefined {
  for (const { name, form, beside: mark = name } of INCIDENT_IDS) {
    const key = firstOf(own, [name], ({ value, beside }) =>
      beside.has(plain(mark)) ? toKey(value, form) : undefined,
    );
    if (key !== undefined) return key;
  }
  return firstOf(own, ['id'], ({ value, path, beside }) => {
    const isIncidents = PLACES.has(path.slice(-1).join()) || PLACES.has(path.slice(-2).join('.'));
    return isIncidents && !MARKS.some((mark) => beside.has(mark)) ? toKey(value) : undefined;
  });
}

function toKey(value: unknown, form = /./): string | undefined {
  const key = typeof value === 'number' ? `${value}` : value;
  return typeof key === 'string' && form.test(key) ? key : undefined;
}

/** The earliest time of a group's alerts: under the best name, of those as deep as the first. */
function earliest({ own }: Fields, names: readonly string[], read: (field: Field) => number | undefined) {
  for (const name of names) {
    const fields = (own.get(plain(name)) ?? []).filter((field) => read(field) !== undefined);
    const times = fields
      .filter(({ path }) => path.length === fields[0]?.path.length)
      .flatMap((each) => read(each) ?? []);
    if (times.length > 0) return times.toSorted((one, other) => one - other)[0];
  }
  return undefined;
}

/** A value as text; an object speaks by its summary or name. */
function textsOf(value: unknown): string[] {
  const { summary, name } = Object(typeof value === 'object' && !Array.isArray(value) ? value : {});
  return [value, summary, name].flatMap((each) =>
    typeof each === 'string' || typeof each === 'number' ? [`${each}`] : [],
  );
}

/** Longer titles would fill a phone's screen. */
const MOST_CHARACTERS = 200;

/** A text without markup on one line; undefined if there is none. Reads no further than a title can need. */
function toWords(value: unknown, textOf: (text: string) => string): string | undefined {
  const [text] = typeof value === 'number' ? [] : textsOf(value);
  if (text === undefined) return undefined;
  const words = textOf(text.slice(0, 20 * MOST_CHARACTERS))
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (words === '') return undefined;
  return words.length > MOST_CHARACTERS ? `${words.slice(0, MOST_CHARACTERS).trim()}...` : words;
}

/** Reads ISO times, and seconds or milliseconds since 1970 as the years from 2001 to 2286 have them. */
function toTime(value: unknown): number | undefined {
  const text = `${value}`;
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{13}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return ms > 0 ? ms : undefined; // Alertmanager says the year 1 for "never".
}

const LONGEST_LINK = 2000;

/** An https address without user and password, which could make one host look like another. */
function toLink(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= LONGEST_LINK ? URL.parse(value) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
}
