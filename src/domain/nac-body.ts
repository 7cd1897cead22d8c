import { decodeXML } from 'entities';

/**
 * Read backwards from a `:` or `<`, which are few: a run with an underscore, unless it names an element. The mark comes first:
 * behind the run, V8 may read backwards from every character (80 KB took 0.4 s, as random inputs showed).
 */
const TOKEN = /[:<](?<=(?<![\p{L}\p{Nd}_.-]|<\/?)([\p{L}\p{Nd}.-]*_[\p{L}\p{Nd}_.-]*).)/gu;

/**
 * Returns each token of a NAC's answer once, in order of first appearance. A token is a whole run of token characters
 * (Unicode letters and digits, `_`, `-`, `.`). It holds an underscore and at least one letter or digit, and stands directly
 * before `:` or `<`. A run directly behind `<` or `</` is an element's name, not a token. The text need not be well-formed.
 * Takes linear time, 80 ms for the NAC's longest answer of 1 MB.
 * @example extractTokens('<rule>Wired_802.1X</rule><a>:!:Set=Basic_Access:!:</a>') // ['Wired_802.1X', 'Basic_Access']
 */
export function extractTokens(text: string): string[] {
  const runs = Array.from(text.matchAll(TOKEN), ([, run = '']) => run);
  return [...new Set(runs)].filter((run) => /[\p{L}\p{Nd}]/u.test(run));
}

export type TokenTest = (token: string) => boolean;

/** Tests for the tokens that a list names; `*` stands for any part (`Gigabit*`). Takes linear time for each name. */
export function tokensLike(names: readonly string[]): TokenTest {
  const patterns = names.map((name) => name.split('*'));
  return (token) => patterns.some((parts) => isLike(token, parts));
}

/** Whether the parts stand in the token in this order, the first at its start and the last at its end. */
function isLike(token: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return token === first;
  if (!token.startsWith(first)) return false;
  let end = first.length;
  for (const part of others) {
    const at = token.indexOf(part, end);
    if (at === -1) return false;
    end = at + part.length;
  }
  return token.length - last.length >= end && token.endsWith(last);
}

/**
 * Returns the texts of the `root` element's children by local name: the first of each name, without empty texts. Linear on
 * any text; reads no entity that the document defines. If the XML is not well-formed, returns what can be read: a child
 * lasts until its end tag; without one, until the next tag. A `>` in an attribute's value ends the tag.
 */
export function readElements(xml: string, root: string): Map<string, string> {
  const texts = new Map<string, string>();
  const isClosedAfter = createEndSearch(xml);
  let isInRoot = false;
  let child: string | undefined;
  let text = '';
  let end = 0;
  for (const match of xml.matchAll(MARKUP)) {
    const [markup, cdata = '', slash, qualified, rest, close] = match;
    if (child !== undefined) text += decodeXML(xml.slice(end, match.index)) + cdata;
    end = match.index + markup.length;
    if (qualified === undefined) continue;
    if (close === '') break;
    const value = text.trim();
    if (child !== undefined && value !== '' && !texts.has(child)) texts.set(child, value);
    text = '';
    const name = qualified.slice(qualified.lastIndexOf(':') + 1);
    const isEnd = slash === '/';
    if (isEnd && name === root) break;
    if (!isInRoot) isInRoot = !isEnd && name === root;
    else if (isEnd && name === child) child = undefined;
    else if (!isEnd && !rest?.endsWith('/') && (child === undefined || !isClosedAfter(child, match.index)))
      child = name;
  }
  return texts;
}

/** A comment, CDATA, an instruction, a declaration or a tag. Each lasts to its end or the text's: none is read twice. */
const MARKUP =
  /<(?:!(?=--).*?(?:-->|$)|!\[CDATA\[(.*?)(?:\]\]>|$)|(?=\?).*?(?:\?>|$)|![^>]*(?:>|$)|(\/?)([^\s>/]*)([^>]*)(>|$))/gs;

/** The most names whose last end tag is searched, so that the whole stays linear. Real sessions nest one or two. */
const MOST_SEARCHES = 50;

/** Does an element of this local name end behind this place? */
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

/** Reads the first elements of this local name. One without an end tag lasts until the next. Linear on any text. */
export function readItems(xml: string, name: string, most: number): Array<Map<string, string>> {
  const starts = xml.matchAll(new RegExp(`<(?:[^<>\\s/:]+:)?${name}(?=[\\s/>])`, 'g'));
  const places = Array.from(starts, ({ index }) => index);
  return places.slice(0, most).map((at, index) => readElements(xml.slice(at, places[index + 1]), name));
}

/** Returns the first element's name without its prefix; skips declaration, comments and stray lines before it. */
export function rootElement(text: string): string | undefined {
  const prolog = text
    .slice(0, 65_536)
    .replace(/<!--.*?(?:-->|$)/gs, '')
    .slice(0, 4096);
  return /<(?:[\p{L}_][\p{L}\p{N}_.-]*:)?([\p{L}_][\p{L}\p{N}_.-]*)(?=[\s/>])/u.exec(prolog)?.[1];
}

/** Returns a test for texts with this root: does the root element end, or is it empty? @param root letters alone */
export function completeTest(root: string): (text: string) => boolean {
  const end = new RegExp(`</(?:[^<>\\s/:]+:)?${root}\\s*>`);
  const empty = new RegExp(`<[^<>]*${root}[^<>]*/>`);
  return (text) => end.test(text.trimEnd().slice(-4096)) || empty.test(text.slice(0, 4096));
}

export type Texts = ReadonlyMap<string, string>;

/** Where attributes stand: in newer versions of the NAC, and in older ones. */
export const ATTRIBUTES = ['other_attr_string', 'other_attributes'];

/** Returns a session's attributes by name: the first of each name, without empty values, and without values of no name. */
export function readAttributes(elements: Texts): Map<string, string> {
  const pairs = ATTRIBUTES.flatMap((name) => {
    const text = elements.get(name) ?? '';
    return text.split(text.includes(':!:') ? ':!:' : /,(?=[^,=]+=)/);
  });
  const attributes = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals)).trim();
    const value = pair.slice(equals + 1).trim();
    if (equals > 0 && value !== '' && !attributes.has(name)) attributes.set(name, value);
  }
  return attributes;
}
