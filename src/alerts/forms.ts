import { readHtml } from '../domain/html.ts';
import { MAX_DEPTH, parseShallow } from '../domain/text.ts';

/** More than 1,000 alerts in one body have. */
const MAX_TEXTS = 50_000;

/** Returns a copy with JSON in strings (a card, CloudWatch's message) unpacked, or why the body is too much. */
export function unpackTexts(value: unknown) {
  let count = 0;
  let fault: 'too many strings' | 'nested too deeply' | undefined;
  function copy(given: unknown, depth: number): unknown {
    if (fault !== undefined) return undefined;
    const isJson = typeof given === 'string' && /^\s*[[{]/.test(given);
    const inner = (isJson ? parseShallow(given) : undefined) ?? given;
    if (typeof inner === 'string' && ++count > MAX_TEXTS) fault ??= 'too many strings';
    if (typeof inner !== 'object' || inner === null) return inner;
    if (depth >= MAX_DEPTH) fault ??= 'nested too deeply';
    if (Array.isArray(inner)) return inner.map((each) => copy(each, depth + 1));
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, copy(each, depth + 1)]));
  }
  const copied = copy(value, 1);
  return fault === undefined
    ? { kind: 'unpacked' as const, value: copied }
    : { kind: 'refused' as const, fault };
}

/** Returns a group's alerts, those in the group's state first. */
export function inStateFirst({ status }: { status?: unknown }, list: readonly unknown[]): readonly unknown[] {
  if (typeof status !== 'string') return list;
  const isSame = (each: unknown) => Object(each).status === status;
  return [...list.filter(isSame), ...list.filter((each) => !isSame(each))];
}

/** How pairs call their label, the surest name first, and how some call the value: Google Chat, TheHive, Aria. */
const LABELS = ['key', 'name', 'title', 'label', 'field', 'tag', 'attribute', 'topLabel', 'dataType', 'type'];
const VALUES: Readonly<Record<string, string>> = { topLabel: 'text', dataType: 'data', name: 'content' };
const MAX_LABEL = 100;

/** Reads `{ name, value }` and its like: Adaptive Cards, Slack, Discord, OTLP, Azure, MISP's `{ type: 'mac', value }`. */
export function readPair(object: object) {
  const fields = object as Readonly<Record<string, unknown>>;
  const labelled = LABELS.find((name) => typeof fields[name] === 'string') ?? '';
  const valued = fields.value === undefined ? (VALUES[labelled] ?? '') : 'value';
  const { [labelled]: label, [valued]: value, ...rest } = fields;
  if (value === undefined || typeof label !== 'string' || label.length > MAX_LABEL) return undefined;
  return { label, value: readValue(value), rest };
}

/** Takes OTLP's type off a value: `{ stringValue: 'x' }`. */
export function readValue(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const [[type, value] = ['', undefined], ...others] = Object.entries(given);
  return others.length === 0 && /^[a-z]{1,20}Value$/.test(type) ? value : given;
}

/** Longer texts are no line of a log. */
const MAX_LINE = 64 * 1024;
const KEY = /(?:^|[\s,;|>])([a-z][\w.-]{0,60})=("(?:[^"\\]|\\.)*")?/gi;
/** A sentence with `a=17` in it is none. */
const MIN_KEYS = 3;

/** Time, host and numbers before what a line of syslog says. */
const SYSLOG =
  /^(?:<\d+>\d* ?)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+|(?<=>))(?:.*\d\S*)?\s*/s;

/**
 * Reads a line of `key=value` or `key="value"`, also behind the header of syslog, CEF (ArcSight) or LEEF (QRadar). Behind
 * other words the fields are what the words tell of. Undefined for any other text.
 */
export function fieldsOfLine(text: string): object | undefined {
  if (text.length > MAX_LINE || !text.includes('=')) return undefined;
  const keys = [...text.matchAll(KEY)];
  const header = headerIn(text);
  if (header) return { ...header, ...fieldsAt(keys, text) };
  const before = text.slice(0, keys[0]?.index);
  if (keys.length < MIN_KEYS || !/^[^{}()=]{0,300}$/.test(before)) return undefined;
  const words = before.replace(SYSLOG, '').replace(/[\s,]+$/, '');
  return words === '' ? fieldsAt(keys, text) : { text: words, fields: fieldsAt(keys, text) };
}

function headerIn(text: string) {
  const [, at] = /^.{0,200}?((?:CEF|LEEF):\d.*)/s.exec(text) ?? [];
  if (at === undefined) return undefined;
  const [version = '', vendor, product, , id, name, severity] = at.split(/(?<!\\)\|/, 7);
  const source = `${vendor} ${product}`;
  return version.startsWith('CEF') ? { source, title: name, severity } : { source, title: id };
}

/** A name that comes again keeps all its values. `cs1Label=Client cs1=...` names `cs1`. Words behind the last quote are a text. */
function fieldsAt(keys: readonly RegExpExecArray[], text: string): object {
  const pairs = keys.map(({ index, 0: whole, 1: key = '', 2: quoted }, at) => {
    const rest = text.slice(index + whole.length, keys[at + 1]?.index).trim();
    if (quoted === undefined) return { key, value: rest.replace(/[,;|]$/, ''), rest: '' };
    return { key, value: quoted.slice(1, -1).replace(/\\(.)/g, '$1'), rest: rest.replace(/^[\]\s]+/, '') };
  });
  const labels = new Map(pairs.map(({ key, value }) => [key, value]));
  const named = Map.groupBy(pairs, ({ key }) => labels.get(`${key}Label`) ?? key);
  const fields = [...named].map(([key, all]) => [key, all.map(({ value }) => value).join('\n')] as const);
  return Object.fromEntries([['text', pairs.at(-1)?.rest], ...fields]);
}

const ADDRESS = /(?:[\da-f]{2}[:. -]){5}[\da-f]{2}|(?:[\da-f]{4}[.:-]){2}[\da-f]{4}|^[\da-f]{12}$/i;

/** Takes the markup out of a text, but no address: a tag can hold one as an attribute, or be a part of a log's line. */
export function toText(text: string): string {
  if (!text.includes('<') && !text.includes('&')) return text;
  return readHtml(text.replace(/<([^<>]+)>/g, (tag, inner) => (ADDRESS.test(inner) ? ` ${inner} ` : tag)))
    .text;
}

const MAX_TITLE = 200;

/** Returns a text without markup on one line; undefined for an address, or if it has no letter but in numbers. */
export function toHeadline(value: unknown): string | undefined {
  const texts = [value].flat().filter((each) => typeof each === 'string');
  if (texts.length === 0) return undefined;
  const text = texts.join(' ').slice(0, 20 * MAX_TITLE); // A title needs no more of it.
  const line = toText(text).replaceAll(/\s+/g, ' ').trim();
  const hasLetter = /\p{L}/u.test(line.replaceAll(/\b[\da-f]+\b/gi, ''));
  if (!hasLetter || /^[a-z]+:\/\/\S+$/i.test(line)) return undefined;
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE).trim()}...` : line;
}

/** Returns a text, a number or a boolean; of an object its summary, name or the like. */
export function toScalar(value: unknown): unknown {
  const [only] = [value].flat();
  if (typeof only !== 'object' || only === null) return only;
  const { summary, name, label, text, displayValue } = only as Readonly<Record<string, unknown>>;
  return [summary, name, label, text, displayValue].find((each) => typeof each === 'string');
}

/** Reads ISO times, and seconds or milliseconds since 1970 as the years from 2001 to 2286 have them. */
export function toTime(value: unknown): number | undefined {
  const [only, ...others] = [value].flat();
  if (others.length > 0 || typeof only === 'object') return undefined; // An object's own `toString` may be no function.
  const text = `${only}`;
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{13}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return ms > 0 ? ms : undefined; // Alertmanager says the year 1 for "never".
}

/** An https address without user and password, which could make one host look like another. */
export function toLink(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= 2000 ? URL.parse(value) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
}
