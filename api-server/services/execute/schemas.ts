import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, openings, providerBody, ref, shapes, text } from '../../http/schemas.ts';

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

/** Named schemas of runs (`#/components/schemas/NAME`). */
export const executeSchemas = {
  ExecutionRequest: closed(
    {
      orb_id: shapes.orbId,
      inputs: { type: 'object', description: 'Values by input name of the Orb; default {}.' },
    },
    ['inputs'],
  ),
  DryRun: closed({
    dry_run: { const: true },
    orb_id: shapes.orbId,
    manifest_digest: shapes.digest,
    orbiset: text('{namespace}.{name}'),
    effective_provider: { type: ['string', 'null'] },
    providers: {
      type: 'array',
      items: closed(
        {
          provider: text('Name of the provider.'),
          eligible: { type: 'boolean' },
          reason: text('Code of the reason why it can not be called.'),
          request: sealedRequest,
          secrets: { type: 'array', items: sealedSecret },
        },
        ['reason'],
      ),
    },
  }),
  ExecutionResult: closed(
    {
      run_id: shapes.runId,
      status: { const: 'completed' },
      outputs: { type: 'object', description: 'By output name; null: the provider gave no such value.' },
      receipt: ref('ReceiptSummary'),
      execution_ms: count('Milliseconds.'),
      openings,
      provider_body: providerBody,
    },
    ['openings', 'provider_body'],
  ),
} as const satisfies Record<string, JsonSchema>;
