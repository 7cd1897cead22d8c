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
