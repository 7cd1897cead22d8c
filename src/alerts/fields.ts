import { parseShallow, readHtml } from '../domain/text.ts';
import * as terms from './terms.ts';

/** The subjects of objects. An object is no closer to the alert than the object around it. */
export const ABOUT = { alert: 0, other: 1, finding: 2, thing: 3, secret: 4 };

/**
 * An object of a body. `words`: its name as {@link toWords} writes it. `depth`: how far inside it stands. `about`: one of
 * {@link ABOUT}. `names`: its fields', without blanks.
 */
export type Part = {
  words: string;
  depth: number;
  about: number;
  names: Set<string>;
  parent: Part | undefined;
};

/** A named value. `key`: its name as the sender writes it. `isShown`: neither secret nor a log's line as it came. */
export type Field = { key: string; words: string; texts: readonly string[]; part: Part; isShown: boolean };

/** The depth of one of several items in a list. */
export const BEHIND = 100;

/**
 * Returns every named value, in order. A name/value pair is named by its label, and an item of a list by the list. JSON in a text (a card, CloudWatch's message) is read as its value. A line of `key=value` is a text,
 * and an object; a text of lines of `Name: value` is an object. Objects and lists around the whole body are left out.
 * @param body plain data of at most 64 levels
 */
export function toFields(body: unknown): Field[] {
  const fields: Field[] = [];
  const { words, value } = unwrap('', unpack(body));
  const object = isObject(value) && !Array.isArray(value) ? value : { text: value };
  collect({ ...readPair(object).pair, ...object }, inside(undefined, words, 0), fields);
  return fields;
}

function unpack(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  // Google's Pub/Sub packs JSON as base64.
  const text = /^eyJ[\w+/]+=*$/.test(given) ? Buffer.from(given, 'base64').toString() : given;
  return /^\s*[[{].{12}/s.test(text) ? (parseShallow(text) ?? given) : given; // Shorter JSON holds no address.
}

/** A name's meaning stands at its end, and no known name is longer. */
const MAX_NAME = 100;

/** Splits a name at capitals and at all that is no letter or digit: `alertStatusString` is `alert status string`. */
export function toWords(name: string): string {
  const end = name.slice(-MAX_NAME);
  const parted = end.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ').toLowerCase();
  return parted.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function unwrap(words: string, value: unknown): { words: string; value: unknown } {
  if (!isObject(value)) return { words, value };
  const [key = '', ...others] = Object.keys(value);
  const inner = unpack(value[key]);
  const around = Array.isArray(value) ? words : toWords(key);
  const isList = Array.isArray(inner) && (inner.length !== 1 || typeof inner[0] !== 'object');
  return others.length > 0 || !isObject(inner) || isList ? { words, value } : unwrap(around, inner);
}

function collect(object: object, part: Part, fields: Field[]): void {
  for (const [key, packed] of Object.entries(object)) {
    const words = toWords(key);
    const given = unpack(packed);
    const isList = Array.isArray(given);
    const values = isList ? listValues(object, given) : [given];
    const line = typeof given === 'string' ? fieldsIn(given) : undefined;
    const texts = values.map(nameIn).filter((each) => each !== null);
    // The id of one of several alerts is not the incident's.
    const owner = words === 'name' || part.depth === 0 ? part.words.replace(/s$/, '') : part.words;
    const isNamed = terms.BARE.test(words) && (part.about === ABOUT.thing || terms.NAMING.test(owner));
    const whole = isNamed ? `${owner} ${words}` : words;
    const name = whole.replaceAll(' ', '');
    part.names.add(name);
    const isShown = line === undefined && !terms.SECRET.test(name);
    fields.push({ key, words: whole, texts: texts.map(String), part, isShown });
    const depth = part.depth + (isList && values.length > 1 ? BEHIND : 1);
    for (const each of [...values, line].filter(isObject)) {
      const { pair, rest } = readPair(each);
      const inner = inside(part, words, depth);
      // Lines of pairs tell of the object around them, but a line of a log that is quoted says no state.
      const isLog = each === line && /^[^\n<]*$/.test(String(given));
      if (each === line && inner.about === ABOUT.other) inner.about = isLog ? ABOUT.finding : part.about;
      if (pair) collect(pair, isList ? inside(part, words, part.depth + 1) : part, fields);
      collect(rest, inner, fields);
    }
  }
}

/** Sentry's tags are lists: `['client_mac', 'x']`. */
function pairIn(given: unknown): unknown {
  const [key, value] = Array.isArray(given) && given.length === 2 ? given : [];
  return typeof key === 'string' && /^[a-z]/i.test(key) ? { key, value } : given;
}

/** Last words of an object's name that leave its subject as it is: `device_details` is a device, `incident_created_v2` an incident. */
const TELLS = / (?:data|details?|info|context|attributes|properties|(?:status )?[a-z]+ed(?: v\d+)?)$/;

function inside(parent: Part | undefined, name: string, depth: number): Part {
  const words = name.replace(TELLS, '');
  const about = parent ? Math.max(parent.about, aboutOf(name, words)) : ABOUT.alert;
  return { words, depth, about, names: new Set(), parent };
}

function aboutOf(name: string, words: string): number {
  if (terms.SECRET.test(words.replaceAll(' ', ''))) return ABOUT.secret;
  if (terms.PAST.test(words)) return ABOUT.finding;
  const isState = words !== name && (terms.ENDS.has(words) || terms.STARTS.has(words));
  if (isState || [name, words].some((each) => terms.MEMBER.test(each)) || terms.INCIDENT.test(words))
    return ABOUT.alert;
  if (terms.THING.test(words)) return ABOUT.thing;
  return terms.FINDING.test(words) ? ABOUT.finding : ABOUT.other;
}

function listValues({ status }: { status?: unknown }, list: readonly unknown[]): unknown[] {
  const isOther = (each: unknown) => Number(typeof status === 'string' && Object(each).status !== status);
  const inStateFirst = list.toSorted((one, other) => isOther(one) - isOther(other)).map(pairIn);
  return inStateFirst.flat(64).map(unpack);
}

/** How pairs call their label and their value, the surest names first. */
const LABELS = [
  /(?:^| )(?:key|name|title|label|field|tag|attribute|property|dimension|param|header|caption|k)$/,
  /(?:^| )(?:type|id)$/,
];
const VALUES = [/(?:^| )values?$|^val$|^v$/, /^(?:text|content|data)$/];
/** Only with these can the value be a text: Google Chat, TheHive, Aria. */
const LABELS_OF_TEXT = /^(?:(?:top )?label|data type|name)$/;

/**
 * Reads `{ name, value }` and its like: Adaptive Cards, Slack, Discord, OTLP, Azure, MISP's `{ type: 'mac', value }`, and
 * `{ tagKey, tagValue }`. An object with more than one other field is not only a pair.
 */
function readPair(object: Readonly<Record<string, unknown>>): { pair?: object; rest: object } {
  const keys = Object.keys(object).map((key): [key: string, words: string] => [key, toWords(key)]);
  const [value, text] = VALUES.map((name) => keys.find(([, words]) => name.test(words))?.[0]);
  for (const [key, words] of LABELS.flatMap((label) => keys.filter(([, words]) => label.test(words)))) {
    const valued = value ?? (LABELS_OF_TEXT.test(words) ? text : undefined);
    const label = nameIn(object[key]);
    if (typeof label !== 'string' || valued === undefined) continue;
    const { [key]: _label, [valued]: named, ...rest } = object;
    return { pair: { [label]: named }, rest: Object.keys(rest).length > 1 ? object : rest };
  }
  return { rest: object };
}

const NAME = /^(?:summary|name|label|text|current|to|web|html|href|(?:display|string|int)?value)$/i;

/** Returns an object's name or value: `priority: { name: 'High' }`, `to: 'DOWN'`, OTLP's `{ stringValue: 'x' }`. */
function nameIn(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.entries(value).find(([key, each]) => NAME.test(key) && typeof each === 'string')?.[1] ?? null;
}

/** Longer texts are no log and no mail. */
const MAX_LOG = 64 * 1024;
const KEY =
  /(?<=^|[\s,;|>^])(?<name>[a-z][\w.-]{0,60})=(?:(?<quote>["'])(?<quoted>(?:(?!\k<quote>)[^\\]|\\.)*)\k<quote>)?/gi;
/** `Name: value`, as Nagios and Zabbix write lines, and the cells of a table; Slack's label is bold, and its value can stand in the next line. */
const LABEL =
  /^[ \t]*(?:[-|] *)?(?<bold>\*{0,2})(?!(?:\S+ ){2}.*\*:?$)(?<name>\p{L}[\p{L}\w ./#-]{0,60})(?:(?::\k<bold>|\k<bold>:|[ :]*\t| ?[=|]):?[ \t]*(?<=[ \t])|:?\k<bold>(?<=\*):?\n(?!\*))(?=\S)/gimu;
/** Between `Name: value` and `Name: value` in one line, as CylancePROTECT and FortiEDR write their logs. */
const JOINT = /(?:(?<=\S)[,;]|(?<=\])) ?(?=[A-Z][\w.]{0,30}(?: [\w.]{1,30}){0,3}: ?\S)/g;
/** A sentence with `a=17` in it has no fields. */
const MIN_PAIRS = 3;

/**
 * Reads a line of `key=value` or `key="value"`, also behind the header of syslog, CEF (ArcSight) or LEEF (QRadar). Reads a text
 * that is mostly lines of `Name: value`, too. All other words are its `text`. Undefined for any other text.
 */
function fieldsIn(text: string): object | undefined {
  if (text.length > MAX_LOG) return undefined;
  const header = headerIn(text);
  const keys = [...text.matchAll(KEY)];
  const isLine = keys.length >= MIN_PAIRS && /^[^{}()=]{0,300}$/.test(text.slice(0, keys[0]?.index));
  const line = header || isLine ? { ...fieldsAt(keys, text, header === undefined), ...header } : undefined;
  if (line && !XML.test(text)) return line; // XML has attributes and elements.
  const plain = toText(text).replace(JOINT, '\n');
  const labels = [...plain.matchAll(LABEL)];
  const isMost = labels.length * 2 >= (plain.match(/\S.*/g)?.length ?? 0);
  const isSure = labels.some(({ groups }) => groups?.bold || groups?.name === 'Subject');
  const isRead = isSure || (labels.length >= MIN_PAIRS && isMost);
  return isRead ? { ...line, ...fieldsAt(labels, plain, true) } : line;
}

/** Time, host and numbers before the message in a line of syslog. */
const SYSLOG =
  /^(?:<\d+>\d* ?)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+|(?<=>))(?:.*\d\S*)?\s*/s;

function headerIn(text: string) {
  const [, at] = /^.{0,200}?((?:CEF|LEEF):\d.*)/s.exec(text) ?? [];
  if (at === undefined) return undefined;
  const [version = '', vendor, product, , id, name, severity] = at.split(/(?<!\\)\|/, 7);
  const source = `${vendor} ${product}`;
  return version.startsWith('CEF') ? { source, title: name, severity } : { source, title: id };
}

/** A value ends with its line. `cs1Label=Client cs1=...` names `cs1`. */
function fieldsAt(marks: readonly RegExpExecArray[], text: string, isWhole: boolean): object {
  const before = isWhole ? text.slice(0, marks[0]?.index) : '';
  const words = [before.replace(SYSLOG, '').trimEnd().replace(/,$/, '')];
  const pairs = marks.map(({ index, 0: whole, groups = {} }, at): [string, string] => {
    const { name = '', quoted } = groups;
    const [value = '', ...rest] = text.slice(index + whole.length, marks[at + 1]?.index).split('\n');
    words.push(...(quoted === undefined ? [] : [value.replace(/^[\]\s,;|]+/, '')]), ...rest);
    return [name, quoted?.replace(/\\(.)/g, '$1') ?? value.trim().replace(/[,;|^]$|^([`_])(.*)\1$/, '$2')];
  });
  const labels = new Map(pairs);
  const named = pairs.map(([key, value]): [string, string] => [labels.get(`${key}Label`) ?? key, value]);
  return { text: [words.join('\n').trim()], ...joinPairs(named) }; // As a list, it is not read again.
}

/** Makes an object of names and values. A name that comes again keeps all its values. */
export function joinPairs(pairs: ReadonlyArray<[name: string, value: string]>): Record<string, string> {
  const named = [...Map.groupBy(pairs, ([name]) => name)];
  return Object.fromEntries(named.map(([name, all]) => [name, all.map(([, value]) => value).join('\n')]));
}

const ADDRESS = /(?:[\da-f]{2}[:. -]){5}[\da-f]{2}|(?:[\da-f]{4}[.:-]){2}[\da-f]{4}|^[\da-f]{12}$/i;

/** Begins with an element, and none is HTML's. */
const XML = /^(?=<[?a-z])(?!.*<(?:html|body|div|table|span|strong|p|br|b|i|a|ul|h\d)[\s/>])/is;
const XML_LEAF = /<([a-z][\w.-]{0,60})(?:\s[^<>]*)?>([^<>]+)<\/\1>/gi;

/** Takes the markup out of a text, but no address: a tag can hold one as an attribute, or be a part of a log's line. */
export function toText(text: string): string {
  if (!text.includes('<') && !text.includes('&')) return text;
  const named = XML.test(text) ? text.replace(/^<\?[^<>]*>/, '').replace(XML_LEAF, '\n$1: $2\n') : text;
  const inText = named.replace(/<([^<>]+)>/g, (tag, inner) => (ADDRESS.test(inner) ? ` ${inner} ` : tag));
  return readHtml(inText).text;
}
