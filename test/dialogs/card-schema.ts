import { Ajv, type ErrorObject } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import formats from 'ajv-formats';
import schema from './adaptive-card-1.5.schema.json' with { type: 'json' };

/**
 * Validates a whole card against adaptive-card-1.5.schema.json. This is the official schema, cut down to the elements,
 * actions and properties in use; any other is a fault.
 * @returns each fault as `path: message`, the deepest first; empty for a valid card. A path is like `/body/0/text`, or
 * `/` for the card itself. One mistake can cause several faults.
 */
export function cardFaults(card: unknown): string[] {
  if (validate(card)) return [];
  const errors = [...(validate.errors ?? [])].sort((a, b) => depth(b) - depth(a));
  return [...new Set(errors.map(toFault))];
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

type Implementations = { anyOf: Array<{ required: string[]; allOf: Array<{ $ref: string }> }> };

/** Chooses an element's schema by its type alone. Otherwise ajv also reports how it misses every other type. */
function byType({ anyOf }: Implementations) {
  return {
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: anyOf.flatMap(({ allOf }) => allOf),
  };
}

function depth({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length;
}

function toFault({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty }: { additionalProperty?: string } = params;
  const property = additionalProperty === undefined ? '' : ` ('${additionalProperty}')`;
  return `${instancePath || '/'}: ${message}${property}`;
}
