import { Ajv, type ErrorObject } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import formats from 'ajv-formats';
import schema from './adaptive-card-1.5.schema.json' with { type: 'json' };

/**
 * Validates a whole card against the official schema of Adaptive Cards 1.5, cut down to the elements, actions and
 * properties that adaptive-card-1.5.schema.json lists: any other is a fault.
 * @returns each fault as `path: message`, the path like `/body/0/text` and `/` for the card itself, the deepest first;
 * empty for a valid card. One mistake can bring several faults.
 */
export function cardFaults(card: unknown): string[] {
  if (validate(card)) return [];
  const errors = [...(validate.errors ?? [])].sort((a, b) => depth(b) - depth(a));
  return [...new Set(errors.map(toFault))];
}

const { definitions } = schema;

// The schema says `required` without `type`, which only ajv's strictness about types minds.
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

/** The same choice, made by the type alone: otherwise ajv tells how an element misses every other type, too. */
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
