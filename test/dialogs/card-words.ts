type Node = { type?: unknown; text?: unknown; [name: string]: unknown };

/** The words of a card's visible blocks, one string a block, in order, without buttons. */
export function wordsOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(wordsOf);
  if (typeof node !== 'object' || node === null) return [];
  const { type, text, inlines, body, items, isVisible } = node as Node;
  if (isVisible === false) return [];
  if (type === 'TextBlock') return [String(text)];
  if (type !== 'RichTextBlock') return [body, items].flatMap(wordsOf);
  return [(inlines as Node[]).map((run) => String(run.text)).join('')];
}
