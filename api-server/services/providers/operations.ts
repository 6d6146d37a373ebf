import { namespaceParameter } from '../../http/namespace.ts';
import type { JsonSchema, Operation, Parameter } from '../../http/operation.ts';
import type { ProblemCode } from '../../http/problems.ts';
import { shapes } from '../../http/schemas.ts';
import { removedPinSchema, statusSchema, swapRequestSchema, swapSchema } from './schemas.ts';

const orbParameter: Parameter = {
  name: 'orb_id',
  in: 'path',
  description: 'An Orb of the key’s tenant, or of the one that namespace names.',
  schema: shapes.orbId,
};

const answer = (description: string, schema: JsonSchema): Operation['responses'][string] => ({
  description,
  content: { 'application/json': { schema } },
});

const FINDING: readonly ProblemCode[] = ['orb-not-found', 'orb-ambiguous', 'orb-not-ready'];
const WRITING: readonly ProblemCode[] = ['control-plane-unavailable', 'ledger-unavailable'];

/** OpenAPI operation of `POST /providers/{orb_id}/swap`. */
export const swapOperation: Operation = {
  operationId: 'swapProvider',
  summary: 'Switch an Orb to another provider',
  description:
    'Pins the provider for a while, or with mode once switches without a pin. The answer waits until this instance uses it.',
  tags: ['providers'],
  parameters: [
    orbParameter,
    namespaceParameter,
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'Swaps once: the same key with the same body gets the stored answer for 24 h.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    },
  ],
  requestBody: { required: true, content: { 'application/json': { schema: swapRequestSchema } } },
  responses: {
    '200': answer('The provider is used by this instance; or nothing was to be done.', swapSchema),
    '202': answer('It is written, but this instance does not use it yet.', swapSchema),
  },
  problems: [
    ...FINDING,
    ...WRITING,
    'invalid-json',
    'invalid-parameter',
    'unknown-member',
    'provider-unknown',
    'provider-unresolved',
    'provider-unhealthy',
    'active-changed',
    'idempotency-in-progress',
    'idempotency-key-reused',
  ],
};

/** OpenAPI operation of `DELETE /providers/{orb_id}/pin`. */
export const removePinOperation: Operation = {
  operationId: 'removePin',
  summary: 'Remove the pin of an Orb',
  description: 'The active provider stays until the rules of the Orb choose another.',
  tags: ['providers'],
  parameters: [orbParameter, namespaceParameter],
  responses: { '200': answer('There is no pin, or none that was there before.', removedPinSchema) },
  problems: [...FINDING, ...WRITING],
};

/** OpenAPI operation of `GET /providers/{orb_id}/status`. */
export const statusOperation: Operation = {
  operationId: 'getProviderStatus',
  summary: 'Which provider an Orb uses, and why',
  tags: ['providers'],
  parameters: [orbParameter, namespaceParameter],
  responses: {
    '200': {
      ...answer('The current state. A metric is null while its value is unknown.', statusSchema),
      headers: { ETag: { description: 'Weak.', schema: { type: 'string' } } },
    },
    '304': { description: 'Not changed.' },
  },
  problems: FINDING,
};
