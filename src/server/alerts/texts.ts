import { parseJson } from '../../domain/json.ts';
import { readHtml } from '../../teams/message-text.ts';
import { isTooDeep, MAX_DEPTH } from '../json-request.ts';

/** More than 1,000 alerts in one body have. */
const MOST_TEXTS = 50_000;

export type Unpacked = { kind: 'unpacked'; value: unknown } | { kind: 'too many' } | { kind: 'too deep' };

/** A copy of a plain value, in which JSON in a string (a card, CloudWatch's message) stands as what it says. */
export function unpackTexts(value: unknown): Unpacked {
  let count = 0;
  let fault: 'too many' | 'too deep' | undefined;
  function copy(given: unknown, depth: number): unknown {
    const inner = typeof given === 'string' ? (jsonIn(given) ?? given) : given;
    if (typeof inner === 'string' && ++count > MOST_TEXTS) fault ??= 'too many';
    if (typeof inner !== 'object' || inner === null) return inner;
    if (depth >= MAX_DEPTH) fault ??= 'too deep';
    if (fault !== undefined) return undefined;
    if (Array.isArray(inner)) return inner.map((each) => copy(each, depth + 1));
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, copy(each, depth + 1)]));
  }
  const copied = copy(value, 1);
  return fault === undefined ? { kind: 'unpacked', value: copied } : { kind: fault };
}

function jsonIn(text: string): unknown {
  return /^\s*[[{]/.test(text) && !isTooDeep(text) ? parseJson(text) : undefined;
}

/** What could be an address in angle brackets, which is no tag. */
const BRACKETED = /<([\da-f][\da-f:. -]{10,21}[\da-f])>/gi;

/** A string without markup. */
export function textOf(text: string): string {
  return text.includes('<') || text.includes('&') ? readHtml(text.replace(BRACKETED, ' $1 ')) : text;
}
