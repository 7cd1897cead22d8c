import type { Texts } from './xml.ts';

/** The elements of attributes: in newer versions of the NAC, and in older ones. */
const ATTRIBUTES = ['other_attr_string', 'other_attributes'];

export type Field = { name: string; value: string };

/** Returns a session's elements, then its attributes: the first of each name. */
export function fieldsIn(elements: Texts): Field[] {
  const attributes = new Map<string, string>();
  for (const { name, value } of attributePairs(elements))
    if (!attributes.has(name)) attributes.set(name, value);
  return [...elements, ...attributes]
    .filter(([name]) => !ATTRIBUTES.includes(name))
    .map(([name, value]) => ({ name, value }));
}

/**
 * Returns a session's attributes by their names in lower case: the first of each name, without empty ones. Pairs within a pair
 * stand under their own names, without a prefix: `CiscoAVPair=method=mab,cts:security-group-tag=0010-0`.
 */
export function readAttributes(elements: Texts): Map<string, string> {
  return byName(attributePairs(elements));
}

/** Returns the attributes of the NAC's response to the switch: `{Class=x; cisco-av-pair=url-redirect=https://...; }`. */
export function readAssigned(elements: Texts): Map<string, string> {
  const response = (elements.get('response') ?? '').replaceAll('&amp;', '&'); // Some are escaped twice.
  return byName(
    response
      .replace(/^\s*\{|\}\s*$/g, '')
      .split(';')
      .flatMap(pairIn),
  );
}

function attributePairs(elements: Texts): Field[] {
  return ATTRIBUTES.flatMap((name) => {
    const text = elements.get(name) ?? '';
    return text.split(text.includes(':!:') ? ':!:' : /,(?=[^,=]+=)/).flatMap(pairIn);
  });
}

function pairIn(text: string): Field[] {
  const equals = text.indexOf('=');
  const value = text.slice(equals + 1).trim();
  return equals > 0 && value !== '' ? [{ name: text.slice(0, equals).trim(), value }] : [];
}

function byName(pairs: readonly Field[]): Map<string, string> {
  const named = new Map<string, string>();
  for (const pair of pairs) {
    const inner = /av-?pair$/i.test(pair.name) ? pair.value.split(/,(?=[^,=:]{1,60}=)/).flatMap(pairIn) : [];
    for (const { name, value } of [pair, ...inner]) {
      const plain = name.slice(name.lastIndexOf(':') + 1).toLowerCase();
      if (!named.has(plain)) named.set(plain, value);
    }
  }
  return named;
}
