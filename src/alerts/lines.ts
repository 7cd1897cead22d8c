/** Longer texts are no line of a log. */
const MAX_LINE = 64 * 1024;
const KEY = /(?:^|[\s,;|>])([a-z][\w.-]{0,60})=("(?:[^"\\]|\\.)*")?/gi;
/** A sentence with `a=17` in it is none. */
const MIN_KEYS = 3;

/** Time, host and numbers before the message in a line of syslog. */
const SYSLOG =
  /^(?:<\d+>\d* ?)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+|(?<=>))(?:.*\d\S*)?\s*/s;

/** Returns the fields that a text holds, in a line or in lines; undefined for any other text. */
export const fieldsOfText = (text: string): object | undefined => fieldsOfLine(text) ?? fieldsOfLines(text);

/**
 * Reads a line of `key=value` or `key="value"`, also behind the header of syslog, CEF (ArcSight) or LEEF (QRadar). Words
 * before the fields become the text, and the fields an object in it. Undefined for any other text.
 */
function fieldsOfLine(text: string): object | undefined {
  if (text.length > MAX_LINE || !text.includes('=')) return undefined;
  const keys = [...text.matchAll(KEY)];
  const header = headerIn(text);
  if (header) return { ...header, ...fieldsAt(keys, text) };
  const before = text.slice(0, keys[0]?.index);
  if (keys.length < MIN_KEYS || !/^[^{}()=]{0,300}$/.test(before)) return undefined;
  const words = before.replace(SYSLOG, '').replace(/[\s,]+$/, '');
  return words === '' ? fieldsAt(keys, text) : { text: words, fields: fieldsAt(keys, text) };
}

function headerIn(text: string) {
  const [, at] = /^.{0,200}?((?:CEF|LEEF):\d.*)/s.exec(text) ?? [];
  if (at === undefined) return undefined;
  const [version = '', vendor, product, , id, name, severity] = at.split(/(?<!\\)\|/, 7);
  const source = `${vendor} ${product}`;
  return version.startsWith('CEF') ? { source, title: name, severity } : { source, title: id };
}

/** `cs1Label=Client cs1=...` names `cs1`. Words behind the last quote are a text. */
function fieldsAt(keys: readonly RegExpExecArray[], text: string): object {
  let last = '';
  const pairs = keys.map(({ index, 0: whole, 1: key = '', 2: quoted }, at): [string, string] => {
    const rest = text.slice(index + whole.length, keys[at + 1]?.index).trim();
    last = quoted === undefined ? '' : rest.replace(/^[\]\s]+/, '');
    return [key, quoted?.slice(1, -1).replace(/\\(.)/g, '$1') ?? rest.replace(/[,;|]$/, '')];
  });
  const labels = new Map(pairs);
  return { text: last, ...joinPairs(pairs.map(([key, value]) => [labels.get(`${key}Label`) ?? key, value])) };
}

/** Makes an object of names and values. A name that comes again keeps all its values. */
export function joinPairs(pairs: ReadonlyArray<[name: string, value: string]>): Record<string, string> {
  const named = [...Map.groupBy(pairs, ([name]) => name)];
  return Object.fromEntries(named.map(([name, all]) => [name, all.map(([, value]) => value).join('\n')]));
}

/** `Name: value`, as Nagios and Zabbix write lines; Slack's label is bold, and its value can stand in the next line. */
const BOLD_ABOVE = /^(\*{1,2}[\w./-]{1,30}(?: [\w./-]{1,30})?:?\*{1,2}:?)\n(?!\*)/gm;
const PAIR = /^(\*{0,2})([a-z][\w ./-]{0,60})(?::\1|\1:):?\s+(.*)$/i;

/** Reads lines of pairs if they are most of a text; its other lines stay a text. One is enough if its label is bold. */
function fieldsOfLines(text: string): object | undefined {
  const lines = text
    .replaceAll(BOLD_ABOVE, '$1: ')
    .split('\n')
    .flatMap((line) => line.trim() || []);
  const pairs = lines.map((line) => PAIR.exec(line));
  const named = pairs.flatMap((pair): [string, string][] =>
    pair ? [[pair[2] ?? '', pair[3]?.replace(/^([`_])(.*)\1$/, '$2') ?? '']] : [],
  );
  const least = pairs.some((pair) => pair?.[1]) ? 1 : MIN_KEYS;
  if (named.length < least || named.length * 2 < lines.length) return undefined;
  const rest = lines.filter((_, at) => !pairs[at]).join('\n');
  return { ...joinPairs(named), text: rest };
}
