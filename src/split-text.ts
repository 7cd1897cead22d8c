/**
 * A text in pieces of at most `limit` (2 or more) UTF-16 units, split between lines; a line that is longer by itself is
 * split inside, but never inside a surrogate pair. No piece is empty, unless the text is.
 */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const lineEnd = rest.lastIndexOf('\n', limit);
    const cut = lineEnd >= 0 ? lineEnd : limit - Number(/[\uD800-\uDBFF]/.test(rest.charAt(limit - 1)));
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(lineEnd >= 0 ? cut + 1 : cut);
  }
  const filled = [...pieces, rest].filter(Boolean);
  return filled.length > 0 ? filled : [''];
}
