import { readSession, readXml } from '../../../src/nac/reading/session.ts';

export type Elements = Readonly<Record<string, string>>;

export const EARLIER = '2026-01-15T02:11:12.358Z';
export const BEGUN = '2026-01-15T02:11:12.359Z';
export const LATER = '2026-01-15T03:00:00.000Z';

/** A session's body. @param attributes as the NAC joins them: `a=b:!:c=d` */
export function session(elements: Elements | string, attributes = ''): string {
  const texts = typeof elements === 'string' ? elements : elementsOf(elements);
  const other = attributes && elementsOf({ other_attr_string: `:!:${attributes}:!:` });
  return `<sessionParameters>${texts}${other}</sessionParameters>`;
}

function elementsOf(texts: Elements): string {
  const elements = Object.entries(texts).map(([name, text]) => `<${name}>${text}</${name}>`);
  return elements.join('');
}

/** The record of a session's body, as far as it can be read. */
export const recordOf = (xml: string) => readSession(readXml(xml, 'sessionParameters').items[0] ?? []);
