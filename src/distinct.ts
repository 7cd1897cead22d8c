/** More than this many are told apart by a Set; of fewer, each is sooner compared than entered into one. */
const FEW = 32;

/** Each string once, in order of first appearance. */
export function distinct<Text extends string>(texts: readonly Text[]): Text[] {
  if (texts.length > FEW) return [...new Set(texts)];
  return texts.filter((text, index) => texts.indexOf(text) === index);
}
