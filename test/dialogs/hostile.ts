import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { shorten } from '../../dialogs/render/words.ts';
import type { SessionRecord } from '../../src/domain/session.ts';
import { visible } from '../../src/domain/text.ts';

/** Pieces of text that chat services, markdown, HTML or Adaptive Cards read as markup. */
const PIECES = [
  ...`* ** _ __ ~~ # > - + --- === \`\`\` \` \`\` \\ | [ ] ( ) ]( ![ [x] < > </ /> { {{ }} . , : / %s :)
    [a](https://example.com) ![a](https://example.com/a.png) <https://example.com> :smile: https:// mailto:
    http://example.com www.example.com example.com alex@example.com @alex #tag <at>alex</at> <b> </b> <img/src=x>
    <!-- --> <script>alert(1)</script> &amp; &lt;b&gt; &#42; &nbsp; {{DATE(2026-01-01T00:00:00Z,SHORT)}}
    {{TIME(2026-01-01T00:00:00Z)}} a B 7 é Ж 語 🌱`.split(/\s+/),
  ...['<a href="https://example.com">', '<img src=x onerror=alert(1)>', '[a]: /b'],
  ...['# ', '> ', '- ', '1. ', '1) '],
  ...['\n', '\r', '\n\n', '\n- ', '\n# ', '\n    ', '\t', ' ', '  ', '\u00a0', '\u2028', '\u0000', '\u007f'],
  ...['\u202e', '\u202d', '\u2066', '\u2069', '\u200b', '\u200d', '\ufeff', '\u00ad', '\ufe0f', '\u3164'],
  ...['\u{e0041}', 'e\u0301', '\ud83c', '\u0085'],
];

/** Letters of names and characters of markdown, for names that are almost harmless. */
const NAME = fc.constantFrom(...'abc7éЖ', ...'    ', ...'_*~.:,;-+()[]<>!#|`@&\\=\'"{}$%');

/** Names of devices, people or other systems: any text, but mostly text that looks like markup. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...PIECES), minLength: 1, maxLength: 8 }),
  fc.string({ unit: NAME, maxLength: 16 }),
  fc
    .tuple(fc.constantFrom('alex ', 'sw-1', ''), fc.constantFrom(...PIECES), fc.constantFrom(' B', '7', ''))
    .map((parts) => parts.join('')),
);

const TEXTS = [
  ...['user', 'ipAddress', 'networkDevice', 'port', 'vlan', 'location', 'method', 'securityGroup'],
  ...['accessList', 'identityGroup', 'authorizationProfiles', 'policySet', 'rule', 'endpointProfile'],
  ...['failureReason', 'since'],
];

/** A session in which every foreign text is hostile. */
export const hostileRecord: fc.Arbitrary<SessionRecord> = fc.record(
  {
    passed: fc.boolean(),
    ended: fc.record({ at: hostile, cause: hostile }),
    quarantine: fc.record({ by: hostile }),
    portal: fc.constant('posture' as const),
    steps: fc.array(hostile),
    lastSignAt: fc.integer(),
    ...Object.fromEntries(TEXTS.map((name) => [name, hostile])),
  },
  { requiredKeys: [] },
);

/** The foreign texts of a record that every answer shows. */
export function textsOf({ portal, ...texts }: SessionRecord): string[] {
  return Object.values(texts).filter((text) => typeof text === 'string');
}

/** How an answer must show a foreign text: cut if it is long, and without invisible characters. */
export function shown(foreign: string): string {
  return visible(shorten(foreign));
}

const markdown = new MarkdownIt({ html: true, linkify: true });
markdown.linkify.set({ fuzzyLink: true }); // Host names without a scheme too.

/** Lines, paragraphs, text and code spans. Other tokens are links, images, elements, emphasis, lists ... */
const PLAIN = 'paragraph_open paragraph_close inline text softbreak hardbreak code_inline'.split(' ');

/** Renders a text like a chat client that allows HTML and links bare addresses. */
export function render(text: string): { markup: string[]; codeSpans: string[] } {
  const tokens = markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  return {
    markup: tokens.map(({ type }) => type).filter((type) => !PLAIN.includes(type)),
    codeSpans: tokens.filter(({ type }) => type === 'code_inline').map(({ content }) => content),
  };
}
