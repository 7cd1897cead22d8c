/** An http or https address as a person pastes it, blanks around it dropped; undefined for any other text. */
export function parseHttpUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
