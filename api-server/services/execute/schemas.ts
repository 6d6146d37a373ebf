import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, denial, openings, providerBody, ref, shapes, text } from '../../http/schemas.ts';

const orNull = (schema: JsonSchema): JsonSchema => ({ oneOf: [schema, { type: 'null' }] });

const sealedRequest = closed({
  method: text('HTTP method.'),
  url: text('With placeholders for secrets.'),
  headers: { type: 'array', items: closed({ name: { type: 'string' }, value: { type: 'string' } }) },
  body: { type: ['string', 'null'], description: 'With placeholders for secrets.' },
});

const sealedSecret = closed({
  entry: text('Name in the vault.'),
  present: { type: 'boolean' },
  host: text('Where it would go.'),
  host_allowed: { type: 'boolean' },
});

const dryRunPolicy: JsonSchema = {
  ...closed({
    decision: { enum: ['allow', 'deny'] },
    denials: { type: 'array', items: denial, description: 'Why it is denied; the first is the one to report.' },
    rules: { type: 'array', items: { type: 'object' }, description: 'Every rule that matched or failed.' },
    obligations: { type: 'array', items: { type: 'object' }, description: 'What the run is bound to.' },
    shadow: closed({ decision: { enum: ['would_allow', 'would_deny'] }, differs: { type: 'boolean' } }),
  }),
  description: 'What policies would decide; absent: no policy meets the run. Approvals are not looked up.',
};

/** Named schemas of runs (`#/components/schemas/NAME`). */
export const executeSchemas = {
  ExecutionRequest: closed(
    {
      orb_id: shapes.orbId,
      inputs: { type: 'object', description: 'Values by input name of the Orb; default {}.' },
    },
    ['inputs'],
  ),
  DryRun: closed(
    {
      dry_run: { const: true },
      orb_id: shapes.orbId,
      manifest_digest: shapes.digest,
      orbiset: text('{namespace}.{name}'),
      effective_provider: { type: ['string', 'null'] },
      replica: text('Instance name of the replica that answers; breakers are its own.'),
      policy: dryRunPolicy,
      providers: {
        type: 'array',
        items: closed(
          {
            provider: text('Name of the provider.'),
            eligible: { type: 'boolean' },
            policy: { enum: ['allow', 'deny'], description: 'What policies decide about its request.' },
            reason: text('Code of the reason why it can not be called.'),
            request: sealedRequest,
            secrets: { type: 'array', items: sealedSecret },
            breaker: {
              enum: ['closed', 'half_open', 'open'],
              description: 'In this replica; a run skips an open one.',
            },
            breaker_since: orNull(shapes.time),
            breaker_until: orNull(shapes.time),
            paused_until: shapes.time,
            last_failure: { ...ref('LastFailure'), description: 'While the last attempt failed in this replica.' },
          },
          ['reason', 'policy', 'breaker_since', 'breaker_until', 'paused_until', 'last_failure'],
        ),
      },
    },
    ['policy'],
  ),
  ExecutionResult: closed(
    {
      run_id: shapes.runId,
      status: { const: 'completed' },
      outputs: { type: 'object', description: 'By output name; null: the provider gave no such value.' },
      missing_outputs: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'Outputs that are null because the answer of the provider lacks them; absent: none.',
      },
      receipt: ref('ReceiptSummary'),
      execution_ms: count('Milliseconds.'),
      openings,
      provider_body: providerBody,
    },
    ['missing_outputs', 'openings', 'provider_body'],
  ),
} as const satisfies Record<string, JsonSchema>;
