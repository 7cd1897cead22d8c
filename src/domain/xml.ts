import { decodeXML } from 'entities';

/**
 * Returns the texts of the `root` element's children by local name: the first of each name, without empty texts.
 * Makes one pass, linear on any text, and reads no entity that the document defines. If the XML is not well-formed,
 * returns what can be read: a child lasts until its end tag; without one, until the next tag. A `>` in an attribute's
 * value ends the tag.
 */
export function readElements(xml: string, root: string): Map<string, string> {
  const texts = new Map<string, string>();
  let isInRoot = false;
  let child: string | undefined;
  let text = '';
  const isClosedAfter = createEndSearch(xml);

  function endText(): void {
    const value = text.trim();
    if (child !== undefined && value !== '' && !texts.has(child)) texts.set(child, value);
    text = '';
  }

  let end = 0;
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', end)) {
    if (child !== undefined) text += decodeXML(xml.slice(end, at));
    const kind = specialAt(xml, at);
    const close = xml.indexOf(kind?.end ?? '>', at);
    if (close === -1) break;
    end = close + (kind?.end ?? '>').length;
    if (kind?.isText && child !== undefined) text += xml.slice(at + kind.start.length, close);
    if (kind) continue;
    const isEnd = xml.charCodeAt(at + 1) === SLASH;
    const isEmpty = xml.charCodeAt(close - 1) === SLASH;
    const name = localName(xml, isEnd ? at + 2 : at + 1, close);
    endText();
    if (isEnd && name === root) break;
    if (!isInRoot) isInRoot = !isEnd && name === root;
    else if (isEnd && name === child) child = undefined;
    else if (!isEnd && !isEmpty && (child === undefined || !isClosedAfter(child, at))) child = name;
  }
  return texts;
}

/** The most names whose last end tag is searched, so that the whole stays linear. Real sessions nest one or two. */
const MOST_SEARCHES = 50;

/** Returns a test: does an element of this local name end behind this place? */
function createEndSearch(xml: string): (name: string, at: number) => boolean {
  const ends = new Map<string, number>();
  return (name, at) => {
    const known = ends.get(name);
    if (known === undefined && ends.size >= MOST_SEARCHES) return true;
    const end = known ?? Math.max(xml.lastIndexOf(`</${name}>`), xml.lastIndexOf(`:${name}>`));
    ends.set(name, end);
    return end > at;
  };
}

/** An element of a list: its start tag's attributes, as they stand there, and the texts of its children by local name. */
export type Item = { attributes: string; texts: Map<string, string> };

/** The most characters of a start tag that are read. */
const MOST_TAG = 1000;

/**
 * Returns the elements of this local name, wherever they stand, at most `most`. An element lasts until its end tag;
 * without one, until the next element of its name. Linear on any text, like {@link readElements}.
 */
export function readItems(xml: string, name: string, most: number): Item[] {
  const items: Item[] = [];
  const starts = new RegExp(`<(?:[^<>\\s/:]+:)?${name}(?=[\\s/>])`, 'g');
  for (let start = starts.exec(xml); start && items.length < most; ) {
    const next = starts.exec(xml);
    const item = xml.slice(start.index, next?.index);
    const [tag] = item.slice(0, MOST_TAG).split('>', 1);
    items.push({ attributes: tag?.slice(start[0].length) ?? '', texts: readElements(item, name) });
    start = next;
  }
  return items;
}

/** Markup that begins like a tag but is not a tag. */
const SPECIAL = [
  { start: '<!--', end: '-->', isText: false },
  { start: '<![CDATA[', end: ']]>', isText: true },
  { start: '<?', end: '?>', isText: false },
  { start: '<!', end: '>', isText: false },
] as const;

function specialAt(xml: string, at: number): (typeof SPECIAL)[number] | undefined {
  const unit = xml.charCodeAt(at + 1);
  if (unit !== EXCLAMATION_MARK && unit !== QUESTION_MARK) return undefined;
  return SPECIAL.find(({ start }) => xml.startsWith(start, at));
}

const EXCLAMATION_MARK = 0x21;
const QUESTION_MARK = 0x3f;
const SLASH = 0x2f;
const COLON = 0x3a;
const SPACE = 0x20;

function localName(xml: string, start: number, close: number): string {
  let from = start;
  for (let at = start; ; at++) {
    const unit = xml.charCodeAt(at);
    if (at === close || unit <= SPACE || unit === SLASH) return xml.slice(from, at);
    if (unit === COLON) from = at + 1;
  }
}

/** Returns the first element's name without its prefix; skips declaration, comments and stray lines before it. */
export function rootElement(text: string): string | undefined {
  const prolog = withoutComments(text.slice(0, 65_536)).slice(0, 4096);
  return /<(?:[\p{L}_][\p{L}\p{N}_.-]*:)?([\p{L}_][\p{L}\p{N}_.-]*)(?=[\s/>])/u.exec(prolog)?.[1];
}

/** An unclosed comment removes the rest of the text too. */
function withoutComments(text: string): string {
  return text.replace(/<!--.*?(?:-->|$)/gs, '');
}

/** Returns a test for texts with this root: does the root element end, or is it empty? @param root letters alone */
export function completeTest(root: string): (text: string) => boolean {
  const end = new RegExp(`</(?:[^<>\\s/:]+:)?${root}\\s*>`);
  const empty = new RegExp(`<[^<>]*${root}[^<>]*/>`);
  return (text) => end.test(text.trimEnd().slice(-4096)) || empty.test(text.slice(0, 4096));
}
