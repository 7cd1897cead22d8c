/**
 * Splits a text between lines into pieces of at most `limit` (2 or more) UTF-16 units. A longer line is split inside, but
 * never inside a surrogate pair. No piece is empty, unless the text is.
 */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  do {
    const { piece, left } = takePiece(rest, limit);
    pieces.push(piece);
    rest = left;
  } while (rest !== '');
  return pieces;
}

/** Returns the first piece, and the text that is left for the other pieces: empty after the last. */
export function takePiece(text: string, limit: number): { piece: string; left: string } {
  if (text.length <= limit) return { piece: text, left: '' };
  const lineEnd = text.lastIndexOf('\n', limit);
  if (lineEnd === 0) return takePiece(text.slice(1), limit);
  if (lineEnd > 0) return { piece: text.slice(0, lineEnd), left: text.slice(lineEnd + 1) };
  const cut = limit - Number(/[\uD800-\uDBFF]/.test(text.charAt(limit - 1)));
  return { piece: text.slice(0, cut), left: text.slice(cut) };
}
