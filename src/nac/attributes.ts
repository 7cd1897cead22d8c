import type { Take } from './session-xml.ts';

/**
 * The attributes of a session, each with its name, as they come; those without a value are left out. The element
 * `other_attr_string` separates them by `:!:`, the older `other_attributes` by commas.
 */
export function readAttributes(
  session: (element: 'other_attr_string' | 'other_attributes') => string | undefined,
  take: Take,
): void {
  const read = (pair: string) => {
    const equals = pair.indexOf('=');
    if (equals <= 0) return;
    const value = pair.slice(equals + 1).trim();
    if (value !== '') take(pair.slice(0, equals).trim(), value);
  };
  session('other_attr_string')?.split(':!:').forEach(read);
  session('other_attributes')
    ?.split(/,(?=[^,=]+=)/)
    .forEach(read);
}
