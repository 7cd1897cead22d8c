import MarkdownIt from 'markdown-it';

const markdown = new MarkdownIt({ html: true, linkify: true });
markdown.linkify.set({ fuzzyLink: true }); // Host names without a scheme too.

/** Lines, paragraphs, text and code spans. Other tokens are links, images, elements, emphasis, lists ... */
const PLAIN = [
  'paragraph_open',
  'paragraph_close',
  'inline',
  'text',
  'softbreak',
  'hardbreak',
  'code_inline',
];

/** Renders a text like a chat client that allows HTML and links bare addresses. */
export function render(text: string): { markup: string[]; codeSpans: string[] } {
  const tokens = markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  return {
    markup: tokens.map(({ type }) => type).filter((type) => !PLAIN.includes(type)),
    codeSpans: tokens.filter(({ type }) => type === 'code_inline').map(({ content }) => content),
  };
}
