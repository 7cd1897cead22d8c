type Texts = Readonly<Record<string, string>>;

/** A session's body. @param attributes as the NAC joins them: `a=b:!:c=d` */
export function session(elements: Texts | string, attributes = ''): string {
  const texts = typeof elements === 'string' ? elements : elementsOf(elements);
  const other = attributes && elementsOf({ other_attr_string: `:!:${attributes}:!:` });
  return `<sessionParameters>${texts}${other}</sessionParameters>`;
}

function elementsOf(texts: Texts): string {
  const elements = Object.entries(texts).map(([name, text]) => `<${name}>${text}</${name}>`);
  return elements.join('');
}
