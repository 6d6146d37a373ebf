import type { Operation } from '../../http/operation.ts';
import { rateLimitHeader, rateLimitPolicyHeader } from '../../http/schemas.ts';

/** OpenAPI operation of `POST /orbisets/{id}/execute`. */
export const executeOperation: Operation = {
  operationId: 'executeOrb',
  summary: 'Execute an Orb',
  description:
    'Runs an Orb inside an Orbiset. The answer leaves when the signed receipt of the run is durable. A problem with a `run` member has a receipt too.',
  tags: ['runtime'],
  parameters: [
    {
      name: 'id',
      in: 'path',
      description:
        'Orbiset of the key’s tenant, or of the ServiceAccount’s namespace; `{namespace}.{name}` for a key of several tenants or another namespace.',
      required: true,
      schema: { type: 'string' },
    },
    {
      name: 'dry_run',
      in: 'query',
      description: '`true`: show what would be sent to each provider, with placeholders for secrets. Nothing is sent.',
      schema: { type: 'boolean' },
    },
    {
      name: 'debug',
      in: 'query',
      description: '`true`, standalone only: show the redacted body of the provider’s answer.',
      schema: { type: 'boolean' },
    },
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'Runs once: the same key with the same body gets the stored answer for 24 h.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    },
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ExecutionRequest' } } },
  },
  responses: {
    '200': {
      description: 'The run completed; or, with `dry_run`, what it would send.',
      headers: {
        RateLimit: rateLimitHeader,
        'RateLimit-Policy': rateLimitPolicyHeader,
      },
      content: {
        'application/json': {
          schema: {
            oneOf: [{ $ref: '#/components/schemas/ExecutionResult' }, { $ref: '#/components/schemas/DryRun' }],
          },
        },
      },
    },
  },
  problems: [
    'invalid-json',
    'invalid-parameter',
    'invalid-inputs',
    'body-too-large',
    'orbiset-not-found',
    'orb-not-found',
    'orb-not-allowed',
    'orb-not-ready',
    'orbiset-suspended',
    'orb-differs-from-publication',
    'orb-suspended',
    'policy-unavailable',
    'policy-denied',
    'secret-missing',
    'secret-not-header-safe',
    'secret-host-not-allowed',
    'provider-failed',
    'provider-rejected',
    'provider-timeout',
    'provider-refused-credential',
    'provider-rate-limited',
    'providers-unavailable',
    'ledger-unavailable',
    'ledger-forked',
    'overloaded',
    'rate-limited',
    'quota-exceeded',
    'egress-stopped',
    'signing-misconfigured',
    'run-closed',
    'idempotency-in-progress',
    'idempotency-key-reused',
  ],
};
