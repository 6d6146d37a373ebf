import { BLOCKS } from '../../../core/failover/failback-view.ts';
import { WINDOWS } from '../../../core/failover/metrics.ts';
import { RULES } from '../../../core/failover/types.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { closed, ref, shapes } from '../../http/schemas.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const provider = text('Name of the provider.');
const orNull = (schema: JsonSchema): Exclude<JsonSchema, boolean> => ({ oneOf: [schema, { type: 'null' }] });
const wordOrNull = (words: readonly string[]): JsonSchema => ({ enum: [...words, null] });
const ms = (description: string): JsonSchema => ({ type: ['integer', 'null'], minimum: 0, description });
const ratio = (description: string): JsonSchema => ({ type: ['number', 'null'], minimum: 0, maximum: 1, description });
const count: JsonSchema = { type: 'integer', minimum: 0 };
const timeOrNull = orNull(shapes.time);
const reason = { enum: ['primary', 'manual', 'hard_failure', 'latency', 'failback'] } as const;
const breaker = { enum: ['closed', 'half_open', 'open'] } as const;

const pin = closed({
  provider,
  mode: { enum: ['soft', 'hard', 'once'] },
  expires_at: shapes.time,
  actor: { type: ['string', 'null'], description: 'Who pinned: key:ID, sa:NAMESPACE/NAME, or the field manager.' },
  reason: { type: ['string', 'null'] },
});
const warnings: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Warnings that did not prevent the change.',
};

/** Body of a swap. The handler checks bounds that a pattern can't express. */
export const swapRequestSchema = closed(
  {
    provider: text('Name of the provider to switch to.'),
    reason: { type: 'string', minLength: 1, maxLength: 256 },
    expires_in: {
      type: 'string',
      pattern: '^[1-9][0-9]{0,5}(ms|s|m|h)$',
      description: 'Lifetime of the pin, at most 168h; default 24h. Not with mode once.',
    },
    mode: {
      enum: ['soft', 'hard', 'once'],
      description:
        'soft: ends when the provider fails. hard: stays whatever happens. once: a swap without a pin. Default: soft; for an Orb without swap_config: once.',
    },
    expected_active: text('Refuse when another provider is active.'),
    force: { type: 'boolean', description: 'Swap even to a provider that is known to fail.' },
    dry_run: { type: 'boolean', description: 'Check everything and change nothing.' },
    wait_ms: { type: 'integer', minimum: 0, maximum: 10_000, description: '2000 unless said.' },
  },
  ['reason', 'expires_in', 'mode', 'expected_active', 'force', 'dry_run', 'wait_ms'],
);

export const swapSchema = closed({
  swap_id: text('swp_ and a UUID; of a pin that was there before, its own id.'),
  orb_id: shapes.orbId,
  status: { enum: ['completed', 'unchanged', 'dry_run', 'accepted'] },
  from: provider,
  provider,
  active_provider: provider,
  pin: orNull(pin),
  replaced_pin: orNull(pin),
  warnings,
  receipt: orNull(closed({ receipt_id: shapes.receiptId, status: { const: 'pending' } })),
  requested_at: shapes.time,
  completed_at: timeOrNull,
});

export const removedPinSchema = closed({
  orb_id: shapes.orbId,
  pin: orNull(pin),
  removed_pin: orNull(pin),
  active_provider: provider,
  warnings,
});

const providerRow = closed({
  name: provider,
  role: { enum: ['primary', 'fallback', 'other'], description: 'other: only a manual swap chooses it.' },
  resolved: { type: 'boolean', description: 'It has an execution.' },
  active: { type: 'boolean' },
  evidence: { enum: ['traffic', 'probe', 'none'] },
  window: wordOrNull(WINDOWS),
  n: { ...count, description: 'Samples in the window.' },
  p50_ms: ms('Milliseconds.'),
  p95_ms: ms('Milliseconds; null also where latency.quantile is another.'),
  error_ratio: ratio('Share of bad attempts.'),
  probe_ok_ratio: ratio('Share of good probes.'),
  last_probe: orNull(closed({ at: shapes.time, outcome: { type: 'string' }, duration_ms: count })),
  breaker: { enum: [...breaker.enum, null], description: 'The worst of all replicas.' },
  breaker_replica: { type: ['string', 'null'], description: 'A replica with that state; null: closed, or not known.' },
  hold_until: timeOrNull,
});

const decision = closed({
  rule: wordOrNull(RULES),
  verdict: orNull(
    closed({
      kind: { enum: ['healthy', 'degraded', 'failing', 'inconclusive', 'unavailable'] },
      value_ms: ms('At latency.quantile, of the active provider.'),
      threshold_ms: ms('Above it the active provider is degraded.'),
      window: wordOrNull(WINDOWS),
      n: count,
    }),
  ),
  why: { type: ['string', 'null'], description: 'What the rule means.' },
  streaks: orNull(closed({ degraded: count, trial: count, recovered: count, needed: count })),
  failback_ready: { type: 'boolean' },
  next_possible_failback: timeOrNull,
  blocked_by: { type: 'array', items: { enum: BLOCKS } },
});

const swapRow = closed({
  seq: count,
  at: shapes.time,
  from: provider,
  to: provider,
  reason,
  actor: { type: ['string', 'null'] },
  receipt_id: shapes.receiptId,
});

/** What the answering replica knows of a provider. */
const replicaProvider = closed({
  name: provider,
  breaker,
  since: { ...timeOrNull, description: 'Since when the breaker is not closed.' },
  until: { ...timeOrNull, description: 'When it lets the next attempt through.' },
  paused_until: { ...timeOrNull, description: 'End of the pause that the provider asked for.' },
  failures: { ...count, description: 'Failed attempts since the last good one.' },
  last_failure: { ...ref('LastFailure'), description: 'Of this replica since it started; null: there is none.' },
});

export const statusSchema = closed({
  orb_id: shapes.orbId,
  active_provider: provider,
  state: { enum: ['single', 'primary', 'failed_over', 'ramping', 'pinned', 'all_down', 'frozen'] },
  strategy: wordOrNull(['latency', 'priority']),
  primary: provider,
  since: timeOrNull,
  reason: wordOrNull(reason.enum),
  pin: orNull(pin),
  ramp: orNull(closed({ provider, percent: count, trial: { type: 'boolean' }, step_started_at: shapes.time })),
  frozen: orNull(closed({ until: shapes.time, reason: { type: 'string' } })),
  metrics: closed({
    state: { enum: ['fresh', 'unusable'] },
    evaluated_at: timeOrNull,
    age_s: { type: ['integer', 'null'], minimum: 0, description: 'Of the newest sample at the evaluation.' },
  }),
  providers: { type: 'array', items: providerRow },
  decision: orNull(decision),
  swaps: { type: 'array', items: swapRow, maxItems: 10, description: 'Newest first.' },
  incidents: {
    type: ['array', 'null'],
    items: { type: 'object' },
    description: 'Of the Orb, as GET /incidents shows them, without muted ones; null: the ledger is away.',
  },
  this_replica: closed({
    name: text('Instance name of the replica that answers.'),
    breakers: { type: 'object', additionalProperties: breaker },
    cooling: { type: 'object', additionalProperties: shapes.time },
    providers: { type: 'array', items: replicaProvider, description: 'Every provider with an execution.' },
  }),
});
