import { Parser } from 'htmlparser2';

export type Texts = ReadonlyMap<string, string>;

/** Real answers nest four levels. The work at each end tag grows with the depth. */
const MAX_DEPTH = 100;

/** Reads the first element of this local name like {@link readItems}; empty if there is none. */
export const readElements = (xml: string, name: string): Map<string, string> =>
  readItems(xml, name, 1)[0] ?? new Map();

/**
 * Reads the first elements of this local name, each as the texts of its children by local name: the first of each name, without
 * empty texts. Texts that nest in a child are joined by a space. Linear on any text; reads no entity that the document
 * defines. If the XML is not well-formed, returns its readable part: a child without an end tag lasts until the next tag, and
 * an element without one until the next of its name.
 */
export function readItems(xml: string, name: string, max: number): Array<Map<string, string>> {
  const items: Element[][] = [];
  const open: Element[] = [];
  let item: Element[] | undefined;
  const parser = new Parser(
    {
      onopentagname(tag) {
        const element = { name: tag.slice(tag.lastIndexOf(':') + 1), text: '', at: item?.length ?? 0 };
        if (element.name === name) {
          item = [];
          items.push(item);
        } else item?.push(element);
        open.push(element);
        if (items.length > max || open.length > MAX_DEPTH) parser.pause();
      },
      ontext(text) {
        const element = open.at(-1);
        if (element) element.text += text;
      },
      onclosetag(_, isImplied) {
        const element = open.pop();
        if (element?.name === name) item = undefined;
        // Without an end tag of its own, its children are its neighbours.
        else if (element && item?.[element.at] === element && !isImplied)
          for (const { text } of item.splice(element.at + 1)) element.text += ` ${text}`;
      },
    },
    { xmlMode: true, decodeEntities: xml.includes('&') }, // Without entities, it skips whole texts.
  );
  parser.end(xml);
  return items.slice(0, max).map(firstTexts);
}

/** `at`: where it stands among its item's children. */
type Element = { name: string; text: string; at: number };

function firstTexts(elements: readonly Element[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { name, text } of elements) {
    const value = text.trim();
    if (value !== '' && !texts.has(name)) texts.set(name, value);
  }
  return texts;
}

/** Returns the first element's name without its prefix; skips declaration, comments and stray lines before it. */
export function rootElement(xml: string): string | undefined {
  const prolog = xml
    .slice(0, 65_536)
    .replace(/<!--.*?(?:-->|$)/gs, '')
    .slice(0, 4096);
  return /<(?:[\p{L}_][\p{L}\p{N}_.-]*:)?([\p{L}_][\p{L}\p{N}_.-]*)(?=[\s/>])/u.exec(prolog)?.[1];
}

/** Whether the root element ends, or is empty. */
export function isWhole(xml: string, root: string): boolean {
  const end = new RegExp(`</(?:[^<>\\s/:]+:)?${root}\\s*>`);
  return (
    end.test(xml.trimEnd().slice(-4096)) || new RegExp(`<[^<>]*${root}[^<>]*/>`).test(xml.slice(0, 4096))
  );
}

/**
 * Reads the texts of a session, or of an attempt: those of its elements, then of its attributes, by names in lower case with
 * hyphens (`nas_port_type` is `NAS-Port-Type`). The first of each name counts. Leaves out values that mean none.
 */
export function readTexts(elements: Texts): Texts {
  const pairs = [...elements].map(([name, text]) => `${name.replaceAll('_', '-')}=${text}`);
  const texts = readPairs([...pairs, ...attributesIn(elements)]);
  if (texts.get('user-name') === 'INVALID') texts.delete('user-name'); // The NAC hides the name of an unknown user.
  if (STATION.test(texts.get('ssid') ?? '')) texts.delete('ssid'); // A copy of it, by wire and VPN too.
  return texts;
}

/** Reads the attributes of the NAC's response to the switch. */
export function readAssigned(texts: Texts): Texts {
  const response = (texts.get('response') ?? '').replaceAll('&amp;', '&'); // Some are escaped twice.
  return readPairs(response.replace(/^\s*\{|\}\s*$/g, '').split(';'));
}

/** Called-Station-ID: a MAC address, perhaps with a name behind it, or an IP address. */
const STATION = /^(?:(?:[\da-f]{2}[:-]?){6}(?:$|:)|(?:\d{1,3}\.){3}\d{1,3}$)/i;

/** The NAC writes "Unknown" or "N/A" for missing values, and "NotApplicable" for a posture that nobody checks. */
export const isKnown = (text: string) => !/^(?:|unknown|not ?applicable|n\/a|none|null|-)$/i.test(text);

/** Newer versions of the NAC join a session's attributes by `:!:`, older ones by commas. */
function attributesIn(session: Texts): string[] {
  const text = session.get('other_attr_string') ?? session.get('other_attributes') ?? '';
  return text.split(text.includes(':!:') ? ':!:' : /,(?=[^,=]+=)/);
}

/**
 * Reads pairs like `name=value`: the first of each name, in lower case, without those that mean none. A tunnel's number, as
 * in `(tag=1) 30`, is no part of its value. Pairs within a pair stand under their own names, without a prefix:
 * `CiscoAVPair=method=mab,cts:security-group-tag=0010-0`.
 */
function readPairs(pairs: readonly string[], isInner = false): Map<string, string> {
  const texts = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const value = pair
      .slice(equals + 1)
      .replace(/^\s*(?:\(tag=\d{1,3}\))?\s*/i, '')
      .trimEnd();
    if (equals < 1 || !isKnown(value)) continue;
    const whole = pair.slice(0, equals).trim();
    // A group of network devices, which anybody names: `WLAN=WLAN#All WLAN`.
    if (value.charAt(whole.length) === '#' && value.startsWith(whole)) continue;
    const name = whole.slice(whole.lastIndexOf(':') + 1).toLowerCase();
    if (!texts.has(name)) texts.set(name, value);
    if (isInner || !name.endsWith('pair')) continue;
    for (const [inner, text] of readPairs(value.split(/,(?=[^,=:]{1,60}=)/), true))
      if (!texts.has(inner)) texts.set(inner, text);
  }
  return texts;
}

/** Returns the first text whose name matches. */
export function textOf(name: RegExp, texts: Texts): string | undefined {
  for (const [each, text] of texts) if (name.test(each)) return text;
  return undefined;
}

/** Returns a session's elements, then its attributes, as the NAC names them: the first of each name. */
export function readFields(xml: string): Array<{ name: string; value: string }> {
  const session = readElements(xml, 'sessionParameters');
  const attributes = new Map<string, string>();
  for (const pair of attributesIn(session)) {
    const [, name = '', value = ''] = /^([^=]+)=\s*(\S.*)$/s.exec(pair.trim()) ?? [];
    if (name !== '' && !attributes.has(name.trim())) attributes.set(name.trim(), value);
  }
  return [...session, ...attributes].flatMap(([name, value]) =>
    /^other_attr(?:_string|ibutes)$/.test(name) ? [] : { name, value },
  );
}
