/** What is wrong with a `NAC_LINK` that {@link parseNacLink} does not take. */
export const NAC_LINK_FAULT =
  'must be an https address without user name that holds {mac} behind its host, for example https://nac.example.com/endpoint?mac={mac}';

/** Returns a pasted address whose `{mac}` can become a MAC address; undefined for any other text. */
export function parseNacLink(text: string): string | undefined {
  const link = text.trim();
  // In a user name, host or port, the colons of a MAC address make another address or none.
  const filled = URL.parse(link.replaceAll('{mac}', '00:00:00:00:00:00'));
  const isFit = filled?.protocol === 'https:' && !filled.username && !filled.password;
  return isFit && link.includes('{mac}') ? link : undefined;
}
