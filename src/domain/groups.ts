/** A run of letters and digits, and the gap behind it. */
export type Group = {
  /** The run, without its label. */
  text: string;
  hex: boolean;
  gap: Gap;
  /** What is glued to the digits and says what they are, upper case: `0X`, `SEP`. Usually empty. */
  label: string;
};

/** What stands between two groups. `before` and `behind` are neighbours of `::`, as in IPv6. */
export type Gap = ':' | '-' | '.' | ' ' | '::' | ':: before' | ':: behind' | 'apart';

/** The groups of a text. The first is empty and stands for the text's beginning. */
export function splitGroups(text: string): Group[] {
  const [before = '', ...parts] = decodeColons(normalise(text)).split(/([\p{L}\p{N}]+)/u);
  const groups: Group[] = [{ text: '', hex: true, gap: leading(gapOf(before)), label: '' }];
  for (let index = 0; index < parts.length; index += 2) {
    const [word = '', behind = ''] = [parts[index], parts[index + 1]];
    const isLast = index + 2 === parts.length;
    groups.push(groupOf(word, isLast ? trailing(behind) : gapOf(behind)));
  }
  return groups;
}

/**
 * Names that devices make of their address. Cisco: SEP, ATA and AP. Brother: BRN and BRW. Ricoh: RNP. Xerox: XRX.
 * Lexmark: ET. Samsung: SEC. Linux: enx and wlx (systemd.net-naming-scheme). `0x` marks hexadecimal digits.
 */
const LABELLED = /^(0x|sep|ata|ap|br[nw]|rnp|xrx|et|sec|enx|wlx)([0-9a-f]{4}|[0-9a-f]{12})$/i;

function groupOf(word: string, gap: Gap): Group {
  if (/^[0-9a-f]+$/i.test(word)) return { text: word, hex: true, gap, label: '' };
  const [, label, digits] = LABELLED.exec(word) ?? [];
  return label === undefined || digits === undefined
    ? { text: word, hex: false, gap, label: '' }
    : { text: digits, hex: true, gap, label: label.toUpperCase() };
}

/** Web addresses write a colon as `%3A`, and as `%253A` inside one another. */
function decodeColons(text: string): string {
  return text.includes('%') ? text.replace(/%(?:25)?3a(?=[0-9a-f])/gi, ':') : text;
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
  if (between === ':' || between === '-' || between === '.' || between === ' ') return between;
  if (between.length === 1) return 'apart';
  if (between === '::') return '::';
  if (between.endsWith('::')) return ':: before';
  if (between.startsWith('::')) return ':: behind';
  if (/^\.\r?\n {2,}$/.test(between)) return '.'; // Cisco breaks a long client id into indented lines.
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
