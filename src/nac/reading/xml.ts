import { Tokenizer } from 'htmlparser2';

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
  const items: Child[][] = [];
  const open: Frame[] = [];
  let item: Child[] | undefined;

  /** Ends the innermost element. Without an end tag of its own, its children are its neighbours. */
  function close(isWhole: boolean): void {
    const { children, at, isItem } = open.pop() ?? NOWHERE;
    if (isItem && children === item) item = undefined;
    const child = children[at];
    if (child && isWhole && children.length > at + 1)
      for (const { text } of children.splice(at + 1)) child.text += ` ${text}`;
  }

  function add(text: string): void {
    const { children, at } = open.at(-1) ?? NOWHERE;
    const child = children[at];
    if (child) child.text += text;
  }

  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: xml.includes('&') }, // Without entities, it skips whole texts.
    {
      ...IGNORED,
      onopentagname(start, end) {
        const qualified = xml.slice(start, end);
        const local = qualified.slice(qualified.lastIndexOf(':') + 1);
        const isItem = local === name;
        if (isItem) {
          item = [];
          items.push(item);
        }
        if (items.length > max || open.length === MAX_DEPTH) return tokenizer.pause();
        open.push({ qualified, children: item ?? [], isItem, at: isItem ? -1 : (item?.length ?? 0) });
        if (!isItem) item?.push({ name: local, text: '' });
      },
      onselfclosingtag: () => close(true),
      onclosetag(start, end) {
        const qualified = xml.slice(start, end);
        const index = open.findLastIndex((frame) => frame.qualified === qualified);
        while (index !== -1 && open.length > index) close(open.length === index + 1);
      },
      ontext: (start, end) => add(xml.slice(start, end)),
      ontextentity: (codePoint) => add(String.fromCodePoint(codePoint)),
      oncdata: (start, end, offset) => add(xml.slice(start, end - offset)),
    },
  );
  tokenizer.write(xml);
  tokenizer.end();
  return items.slice(0, max).map(textsOf);
}

const ignore = () => {};
const IGNORED = {
  onattribdata: ignore,
  onattribentity: ignore,
  onattribend: ignore,
  onattribname: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onopentagend: ignore,
  onprocessinginstruction: ignore,
};

type Child = { name: string; text: string };
/** `at`: where the element's text stands among its item's children. */
type Frame = { qualified: string; children: Child[]; isItem: boolean; at: number };
const NOWHERE: Frame = { qualified: '', children: [], isItem: false, at: -1 };

function textsOf(children: readonly Child[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { name, text } of children) {
    const value = text.trim();
    if (value !== '' && !texts.has(name)) texts.set(name, value);
  }
  return texts;
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
