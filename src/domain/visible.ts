/**
 * Shows invisible characters as their code points, `\u{202e}`: control, zero-width, bidirectional and other ignorable
 * characters. They can make one text look like another.
 */
export function visible(foreign: string): string {
  if (PLAIN.test(foreign)) return foreign;
  return foreign.replace(INVISIBLE, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

/** Most texts are plain, and this test is quick. */
const PLAIN = /^[ -~]*$/;

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
