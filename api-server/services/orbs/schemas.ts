import type { JsonSchema } from '../../http/operation.ts';
import { closed, ref, shapes, text } from '../../http/schemas.ts';

const reason: JsonSchema = {
  type: ['string', 'null'],
  description:
    'Code of the problem that a run would get now: orb-not-ready, orb-suspended, orbiset-suspended, secret-missing …; null: it is ready.',
};

const definition = (description: string): JsonSchema => ({
  type: 'object',
  description,
  additionalProperties: {
    type: 'object',
    properties: { type: { enum: ['string', 'number', 'integer', 'boolean', 'object', 'array'] } },
    required: ['type'],
  },
});

const orbiset = closed({
  orbiset: text('{namespace}.{name}'),
  ready: { type: 'boolean' },
  reason,
  missing_secrets: {
    type: 'array',
    description: 'What its vault lacks for any provider of the Orb.',
    items: closed({ entry: text('Name in the vault.'), host: text('Where it is sent; empty: secrets name the host.') }),
  },
});

/** Named schemas of the lists of Orbs (`#/components/schemas/NAME`). */
export const orbSchemas = {
  Orb: closed({
    orb_id: shapes.orbId,
    namespace: text('Where the Orb is: the tenant’s own, or that of a shared Orb.'),
    description: text('As the manifest says it; may be empty.'),
    inputs: definition('By name, as the manifest declares them, each with its type.'),
    outputs: definition('By name, as the manifest declares them, each with its type.'),
    providers: { type: 'array', items: { type: 'string' }, description: 'In the order in which they are tried.' },
    ready: { type: 'boolean', description: 'A run may start now in one of the Orbisets.' },
    reason,
    fault: {
      type: ['string', 'null'],
      description:
        'File or object, place and mistake of its newest content, when that is not valid; the tenant’s own only.',
    },
    missing_secrets: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of the entries that any of the vaults lacks.',
    },
    orbisets: { type: 'array', items: orbiset, description: 'Orbisets of the tenant that may run it, by name.' },
  }),
  OrbList: closed({
    items: { type: 'array', items: ref('Orb') },
    next_cursor: { type: ['string', 'null'], description: 'For the next page; null: this is the last one.' },
  }),
} as const satisfies Record<string, JsonSchema>;
