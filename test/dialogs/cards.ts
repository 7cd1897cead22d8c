import { Ajv } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import formats from 'ajv-formats';
import { expect } from 'vitest';
import schema from './adaptive-card-1.5.schema.json' with { type: 'json' };

/** A button or a tappable part of a card, and what it sends. */
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

const { definitions } = schema;

// The schema has `required` without `type`, which only ajv's strict types reject.
const ajv = new Ajv({ allErrors: true, strictTypes: false, discriminator: true });
ajv.addMetaSchema(draft06);
formats.default(ajv);
const validate = ajv.compile({
  ...schema,
  definitions: {
    ...definitions,
    'ImplementationsOf.Action': byType(definitions['ImplementationsOf.Action']),
    'ImplementationsOf.ISelectAction': byType(definitions['ImplementationsOf.ISelectAction']),
    'ImplementationsOf.Element': byType(definitions['ImplementationsOf.Element']),
  },
});

/** Chooses an element's schema by its type alone. Otherwise ajv also reports how it misses every other type. */
function byType({ anyOf }: { anyOf: Array<{ allOf: Array<{ $ref: string }> }> }) {
  return {
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: anyOf.flatMap(({ allOf }) => allOf),
  };
}
