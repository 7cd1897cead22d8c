import { readHtml } from '../../bot/message-text.ts';
import { parseJson } from '../../text/json.ts';
import { isTooDeep, MAX_DEPTH } from '../json-request.ts';

/** More than 1,000 alerts in one body have. */
const MOST_TEXTS = 50_000;

export type Texts = { kind: 'texts'; texts: string[] } | { kind: 'too many' } | { kind: 'too deep' };

/**
 * Every string in a plain value, in order: HTML as its text, and JSON in a string (a card) as the strings in it. Not by
 * recursion, so that no nesting overflows the stack.
 */
export function textsIn(value: unknown): Texts {
  const texts: string[] = [];
  const left = [{ value, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const inner = typeof next.value === 'string' ? jsonIn(next.value) : next.value;
    if (typeof inner === 'object' && inner !== null) {
      const depth = next.depth + 1;
      if (depth >= MAX_DEPTH) return { kind: 'too deep' };
      for (const each of Object.values(inner).reverse()) left.push({ value: each, depth });
    } else if (typeof next.value === 'string') {
      if (texts.length === MOST_TEXTS) return { kind: 'too many' };
      texts.push(textOf(next.value));
    }
  }
  return { kind: 'texts', texts };
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
