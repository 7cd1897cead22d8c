/**
 * Text with what cannot be seen shown as its code point, `\u{202e}`: control, zero-width, bidirectional and other
 * ignorable characters, with which a text can look like another one.
 */
export function visible(foreign: string): string {
  return foreign.replace(INVISIBLE, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
