import { readAttributes } from './attributes.ts';
import { readElements, type Take } from './session-xml.ts';

/** What the NAC said under a name of its own. Both are foreign text. */
export type Field = { name: string; value: string };

/** The most fields that are read; a real session has about forty. */
const MAX_FIELDS = 100;

/** All that a `<sessionParameters>` body says, attributes last, the first of a name. */
export function readFields(xml: string): Field[] {
  const elements = new Map<string, string>();
  const attributes = new Map<string, string>();
  const into =
    (fields: Map<string, string>): Take =>
    (name, value) => {
      if (!fields.has(name)) fields.set(name, value);
    };
  readElements(xml, 'sessionParameters', into(elements));
  readAttributes((name) => elements.get(name), into(attributes));
  return [...elements, ...attributes]
    .filter(([name]) => name !== 'other_attr_string' && name !== 'other_attributes')
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => ({ name, value }));
}
