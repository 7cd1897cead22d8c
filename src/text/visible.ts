/**
 * Text with what cannot be seen shown as its code point, `\u{202e}`: control, zero-width, bidirectional and other
 * ignorable characters, with which a text can look like another one.
 */
export function visible(foreign: string): string {
  if (PLAIN.test(foreign)) return foreign;
  return foreign.replace(INVISIBLE, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

/** What most texts are made of; looked at first, for it is quick. */
const PLAIN = /^[ -~]*$/;

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
