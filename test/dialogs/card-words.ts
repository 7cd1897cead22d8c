type Node = { type?: unknown; text?: unknown; [name: string]: unknown };

/** The words of a card's visible blocks, one string a block, in order, without buttons. */
export function wordsOf(card: unknown): string[] {
  return blocksIn(card, false).map(({ words }) => words);
}

type Block = { words: string; runs: string[] };

function blocksIn(node: unknown, hiddenToo: boolean): Block[] {
  if (Array.isArray(node)) return node.flatMap((each) => blocksIn(each, hiddenToo));
  if (typeof node !== 'object' || node === null) return [];
  const { type, text, inlines, body, items, isVisible } = node as Node;
  if (isVisible === false && !hiddenToo) return [];
  if (type === 'TextBlock') return [{ words: String(text), runs: [] }];
  if (type !== 'RichTextBlock') return [body, items].flatMap((each) => blocksIn(each, hiddenToo));
  const runs = (inlines as Node[]).map((run) => String(run.text));
  return [{ words: runs.join(''), runs }];
}
