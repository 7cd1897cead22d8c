import { fieldsOfLine, inStateFirst, readPair, readValue } from './forms.ts';
import { BARE, FINDING, INCIDENT, LABELS, MEMBER, NAMING, PAST, SECRET, THING, toWords } from './terms.ts';

/** An object of a body. `words`: its name as {@link toWords} writes it. `names`: its fields', without blanks. */
export type Part = {
  words: string;
  /** How far inside it stands. */
  depth: number;
  /** Whether it is the alert's own object, or only groups fields of it. */
  isOwn: boolean;
  isThing: boolean;
  isFinding: boolean;
  isSecret: boolean;
  names: Set<string>;
  parent: Part | undefined;
};

/** A named value. `key`: its name as the sender writes it. `isLine`: of `key=value`. */
export type Field = {
  key: string;
  words: string;
  value: unknown;
  part: Part;
  isSecret: boolean;
  isLine: boolean;
};

/** The depth of what is one of several in a list. */
export const BEHIND = 100;

/**
 * Returns every named value, in order. A name/value pair is named by its label, and what stands in a list by the list. A line
 * of `key=value` is a text, and an object. Objects and lists around the whole body are left out.
 * @param body plain data, with JSON in its strings already unpacked
 */
export function toFields(body: unknown): Field[] {
  const fields: Field[] = [];
  const { words, value } = unwrap('', body);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const flags = { isOwn: true, isThing: false, isFinding: false, isSecret: false };
  const root = { words, depth: 0, ...flags, names: new Set<string>(), parent: undefined };
  collect(isObject ? value : { text: value }, root, fields);
  return fields;
}

/** Takes off objects whose name says nothing of what is in them, and lists of one. */
function unwrap(words: string, value: unknown): { words: string; value: unknown } {
  if (typeof value !== 'object' || value === null) return { words, value };
  const [key = '', other] = Object.keys(value);
  const inner = (value as Readonly<Record<string, unknown>>)[key];
  const around = Array.isArray(value) ? words : toWords(key);
  const isNamed = FINDING.test(around) || PAST.test(around);
  const isList = Array.isArray(inner) && (inner.length !== 1 || typeof inner[0] !== 'object');
  if (other !== undefined || typeof inner !== 'object' || isNamed || isList) return { words, value };
  return unwrap(around, inner);
}

function collect(object: object, part: Part, fields: Field[]): void {
  for (const [key, given] of Object.entries(object)) {
    const value = Array.isArray(given) ? inStateFirst(object, given).flat(Infinity) : readValue(given);
    const line = typeof value === 'string' ? fieldsOfLine(value) : undefined;
    const words = toWords(key);
    add({ key, words, value, part, isLine: line !== undefined }, fields);
    const isList = Array.isArray(value);
    const holder = isList ? inside(part, words, LABELS) : part;
    const depth = isList && value.length > 1 ? Math.max(part.depth, BEHIND) + 1 : part.depth + 1;
    for (const each of isList ? value : [line ?? value]) {
      if (typeof each !== 'object' || each === null) continue;
      const pair = readPair(each);
      if (pair)
        add(
          { key: pair.label, words: toWords(pair.label), value: pair.value, part: holder, isLine: false },
          fields,
        );
      collect(pair?.rest ?? each, { ...inside(part, words, FINDING), depth }, fields);
    }
  }
}

function add(field: Omit<Field, 'isSecret'>, fields: Field[]): void {
  const { part, words: own } = field;
  const words = BARE.test(own) && (part.isThing || NAMING.test(part.words)) ? `${part.words} ${own}` : own;
  const name = words.replaceAll(' ', '');
  part.names.add(name);
  fields.push({ ...field, words, isSecret: part.isSecret || SECRET.test(name) });
}

function inside(parent: Part, words: string, finding: RegExp): Part {
  const isFinding = PAST.test(words) || (finding.test(words) && !INCIDENT.test(parent.words));
  return {
    words,
    depth: parent.depth + 1,
    isOwn: parent.isOwn && (INCIDENT.test(words) || MEMBER.test(words)),
    isThing: parent.isThing || THING.test(words),
    isFinding: parent.isFinding || isFinding,
    isSecret: parent.isSecret || SECRET.test(words.replaceAll(' ', '')),
    names: new Set(),
    parent,
  };
}

type Read<T> = (field: Field) => T | undefined;

/** Returns what `read` makes of the first field that it makes anything of: of those under the first name, in order. */
export function firstIn<T>(fields: readonly Field[], names: readonly RegExp[], read: Read<T>): T | undefined {
  for (const name of names)
    for (const field of fields) {
      const found = name.test(field.words) ? read(field) : undefined;
      if (found !== undefined) return found;
    }
  return undefined;
}
