/**
 * A text in pieces of at most `limit` UTF-16 units, split between lines; a single line that is longer is split inside,
 * but never inside a surrogate pair. Joined with line ends, pieces that were split between lines give the text again.
 */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const lineEnd = rest.lastIndexOf('\n', limit);
    const cut = lineEnd > 0 ? lineEnd : limit - Number(/[\uD800-\uDBFF]/.test(rest.charAt(limit - 1)));
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(lineEnd > 0 ? cut + 1 : cut);
  }
  return [...pieces, rest];
}
