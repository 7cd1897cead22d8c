import { Ajv } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import formats from 'ajv-formats';
import { expect } from 'vitest';
import schema from './adaptive-card-1.5.schema.json' with { type: 'json' };

type Button = { title: string; data: Record<string, unknown> };

/** Everything that can be pressed on a card, or on the card of a message or reply, from top to bottom. */
export function buttonsOf(node: unknown): Button[] {
  if (Array.isArray(node)) return node.flatMap(buttonsOf);
  if (typeof node !== 'object' || node === null) return [];
  const own = 'type' in node && node.type === 'Action.Submit' ? [node as unknown as Button] : [];
  return [...own.map(({ title, data }) => ({ title, data })), ...Object.values(node).flatMap(buttonsOf)];
}

/** The card behind a card's button "More", with its own buttons. */
export function moreOf(card: unknown): { body?: unknown; actions?: unknown } | undefined {
  const { actions = [] } = Object(card) as { actions?: Array<{ type: string; card?: object }> };
  return actions.find(({ type }) => type === 'Action.ShowCard')?.card;
}

type Node = { type?: unknown; text?: unknown; [name: string]: unknown };

/** The words of a card's visible blocks, one string a block, in order, without buttons. */
export function wordsOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(wordsOf);
  if (typeof node !== 'object' || node === null) return [];
  const { type, text, inlines, body, items, isVisible } = node as Node;
  if (isVisible === false) return [];
  if (type === 'TextBlock') return [String(text)];
  if (type !== 'RichTextBlock') return [body, items].flatMap(wordsOf);
  return [(inlines as Node[]).map((run) => String(run.text)).join('')];
}

/**
 * Throws unless a card is valid by adaptive-card-1.5.schema.json. This is the official schema, cut down to the elements,
 * actions and properties in use; any other is a fault.
 */
export function expectWellFormedCard(card: unknown): void {
  expect(card).toMatchObject({ type: 'AdaptiveCard', version: '1.5' });
  expect(validate(card) ? [] : validate.errors).toEqual([]);
}

// The schema has `required` without `type`, which only ajv's strict types reject.
const ajv = new Ajv({ strictTypes: false });
ajv.addMetaSchema(draft06);
formats.default(ajv);
const validate = ajv.compile(schema);
