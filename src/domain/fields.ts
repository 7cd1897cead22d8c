import { readAttributes, readElements } from './session-xml.ts';

/** A value under the NAC's own name for it. Both are foreign text. */
export type Field = { name: string; value: string };

/** The most fields that are read; a real session has about forty. */
const MAX_FIELDS = 100;

/** Returns the elements of a `<sessionParameters>` body, then its attributes: the first of each name. */
export function readFields(xml: string): Field[] {
  const elements = readElements(xml, 'sessionParameters');
  return [...elements, ...readAttributes(elements)]
    .filter(([name]) => name !== 'other_attr_string' && name !== 'other_attributes')
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => ({ name, value }));
}
