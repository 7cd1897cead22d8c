import { Parser } from 'htmlparser2';

export type Texts = ReadonlyMap<string, string>;

/** Real answers nest four levels. The work at each end tag grows with the depth. */
const MAX_DEPTH = 100;

/**
 * Reads an XML text once. `root`: the first element's name without its prefix; undefined if there is none. `isWhole`: that
 * element ends. `items`: the first elements named `name`, each as the texts of its children by local name: the first of each
 * name, without empty texts. Texts that nest in a child are joined by a space. Linear on any text; reads no entity that the
 * document defines. If the XML is not well-formed, returns its readable part: a child without an end tag lasts until the next
 * tag, and an element without one until the next of its name.
 */
export function readXml(xml: string, name: string, max = 1) {
  const items: Element[][] = [];
  const open: Element[] = [];
  let item: Element[] | undefined;
  let root: string | undefined;
  let hasEnded = false;
  const parser = new Parser(
    {
      onopentagname(tag) {
        const element = { name: tag.slice(tag.lastIndexOf(':') + 1), text: '', at: item?.length ?? 0 };
        root ??= element.name;
        if (element.name === name) {
          item = [];
          if (items.length < max) items.push(item);
        } else item?.push(element);
        open.push(element);
        if (open.length > MAX_DEPTH) parser.pause();
      },
      ontext(text) {
        const element = open.at(-1);
        if (element) element.text += text;
      },
      onclosetag(_, isImplied) {
        const element = open.pop();
        hasEnded ||= open.length === 0;
        if (element?.name === name) item = undefined;
        // Without an end tag of its own, its children are its neighbours.
        else if (element && item?.[element.at] === element && !isImplied)
          for (const { text } of item.splice(element.at + 1)) element.text += ` ${text}`;
      },
    },
    { xmlMode: true, decodeEntities: xml.includes('&') }, // Without entities, it skips whole texts.
  );
  parser.write(xml);
  const isWhole = hasEnded || xml.trimEnd().endsWith(`</${root}>`); // The parser can miss the tag of one that is ill-formed.
  parser.end(); // Closes the elements that are still open.
  return { root, isWhole, items: items.map(firstTexts) };
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

/**
 * Reads the texts of a session, or of an attempt: those of its elements, then of its attributes, by names in lower case with
 * hyphens (`nas_port_type` is `NAS-Port-Type`). The first of each name counts. Leaves out values that mean none.
 */
export function readTexts(elements: Texts): Texts {
  const texts = addPairs(new Map(), [...elements, ...attributesIn(elements)]);
  if (texts.get('user-name') === 'INVALID') texts.delete('user-name'); // The NAC hides the name of an unknown user.
  if (STATION.test(texts.get('ssid') ?? '')) texts.delete('ssid'); // A copy of it, by wire and VPN too.
  return texts;
}

/** Reads the attributes of the NAC's response to the switch. */
export function readAssigned(texts: Texts): Texts {
  const response = (texts.get('response') ?? '').replaceAll('&amp;', '&'); // Some are escaped twice.
  const attributes = response.replace(/^\s*\{|\}\s*$/g, '').split(';');
  return addPairs(new Map(), attributes.map(toPair));
}

/** Called-Station-ID: a MAC address, perhaps with a name behind it, or an IP address. */
const STATION = /^(?:(?:[\da-f]{2}[:-]?){6}(?:$|:)|(?:\d{1,3}\.){3}\d{1,3}$)/i;

/** The NAC writes "Unknown" or "N/A" for missing values, and "NotApplicable" for a posture that nobody checks. */
export const isKnown = (text: string) => !/^(?:|unknown|not ?applicable|n\/a|none|null|-)$/i.test(text);

type Pair = readonly [name: string, value: string];

/** Newer versions of the NAC join a session's attributes by `:!:`, older ones by commas. */
function attributesIn(session: Texts): Pair[] {
  const text = session.get('other_attr_string') ?? session.get('other_attributes') ?? '';
  return text.split(text.includes(':!:') ? ':!:' : /,(?=[^,=]+=)/).map(toPair);
}

function toPair(text: string): Pair {
  const equals = text.indexOf('='); // Without one, the name is empty.
  return [text.slice(0, Math.max(0, equals)).trim(), text.slice(equals + 1).trim()];
}

/**
 * Adds pairs: the first of each name, in lower case with hyphens, without those that mean none. A tunnel's number, as in
 * `(tag=1) 30`, is no part of its value. Pairs within a pair stand under their own names, without a prefix:
 * `CiscoAVPair=method=mab,cts:security-group-tag=0010-0`.
 */
function addPairs(texts: Map<string, string>, pairs: readonly Pair[], isInner = false): Map<string, string> {
  for (const [whole, written] of pairs) {
    const value = written.replace(/^\(tag=\d{1,3}\)\s*/i, '');
    // A group of network devices, which anybody names: `WLAN=WLAN#All WLAN`.
    const isGroup = value.charAt(whole.length) === '#' && value.startsWith(whole);
    if (whole === '' || isGroup || !isKnown(value)) continue;
    const local = whole.slice(whole.lastIndexOf(':') + 1);
    const name = local.replaceAll('_', '-').toLowerCase();
    if (!texts.has(name)) texts.set(name, value);
    if (!isInner && name.endsWith('pair'))
      addPairs(texts, value.split(/,(?=[^,=:]{1,60}=)/).map(toPair), true);
  }
  return texts;
}

/** Returns the first text whose name matches. */
export function textOf(name: RegExp, texts: Texts): string | undefined {
  for (const [each, text] of texts) if (name.test(each)) return text;
  return undefined;
}

/** Returns a session's elements, then its attributes, as the NAC names them: the first of each name. */
export function readFields(xml: string): Pair[] {
  const [session = new Map<string, string>()] = readXml(xml, 'sessionParameters').items;
  const attributes = new Map<string, string>();
  for (const [name, value] of attributesIn(session))
    if (name !== '' && value !== '' && !attributes.has(name)) attributes.set(name, value);
  return [...session, ...attributes].filter(([name]) => !/^other_attr(?:_string|ibutes)$/.test(name));
}
