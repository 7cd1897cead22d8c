/** A run of letters and digits, and the gap behind it. */
export type Group = { text: string; hex: boolean; gap: Gap };

/** What stands between two groups. `before` and `behind` are neighbours of `::`, as in IPv6. */
export type Gap = ':' | '-' | '.' | ' ' | '::' | ':: before' | ':: behind' | 'apart';

/** The groups of a text. The first is empty and stands for the text's beginning. */
export function splitGroups(text: string): Group[] {
  const [before = '', ...parts] = normalise(text).split(/([\p{L}\p{N}]+)/u);
  const groups: Group[] = [{ text: '', hex: true, gap: leading(gapOf(before)) }];
  for (let index = 0; index < parts.length; index += 2) {
    const [word = '', behind = ''] = [parts[index], parts[index + 1]];
    const isLast = index + 2 === parts.length;
    groups.push({
      text: word,
      hex: /^[0-9a-f]+$/i.test(word),
      gap: isLast ? trailing(behind) : gapOf(behind),
    });
  }
  return groups;
}

/** At a text's beginning, only `::` matters. */
function leading(gap: Gap): Gap {
  return gap === '::' || gap === ':: before' ? ':: before' : 'apart';
}

/** At a text's end, only `::` matters. */
function trailing(behind: string): Gap {
  return behind.startsWith('::') ? ':: behind' : 'apart';
}

function gapOf(between: string): Gap {
  if (between === ':' || between === '-' || between === '.') return between;
  if (between === '::') return '::';
  if (between.endsWith('::')) return ':: before';
  if (between.startsWith('::')) return ':: behind';
  return /^ +$/.test(between) ? ' ' : 'apart';
}

/** Most messages are plain, and this test is quick. */
const PLAIN = /^[ -~\n]*$/;

/** Returns a text with Unicode's dashes, colons, spaces and full-width characters as ASCII, without invisible characters. */
export function normalise(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(/[\p{Cf}\p{Variation_Selector}]/gu, '')
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[\uFE55\uA789\u2236\u02D0\uFE13]/g, ':')
    .replace(/[\p{Zs}\t]/gu, ' ');
}
