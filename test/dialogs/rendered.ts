import MarkdownIt from 'markdown-it';

const markdown = new MarkdownIt({ html: true, linkify: true });
markdown.linkify.set({ fuzzyLink: true }); // Host names without a scheme too.

/** Lines, paragraphs, text and code spans; all else would be a link, an image, an element, an emphasis, a list ... */
const PLAIN = [
  'paragraph_open',
  'paragraph_close',
  'inline',
  'text',
  'softbreak',
  'hardbreak',
  'code_inline',
];

/** What a chat client makes of a text, HTML allowed and bare addresses made links. */
export function render(text: string): { markup: string[]; codeSpans: string[] } {
  const tokens = markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  return {
    markup: tokens.map(({ type }) => type).filter((type) => !PLAIN.includes(type)),
    codeSpans: tokens.filter(({ type }) => type === 'code_inline').map(({ content }) => content),
  };
}
