import { ATTEMPT_REASONS } from '../../core/attempts/reasons.ts';
import { LIMIT_NAMES } from '../../core/rate-limit/rate-limiter.ts';
import { ATTEMPT_OUTCOMES } from '../../core/receipt/record.ts';
import type { JsonSchema } from './operation.ts';
import { problems } from './problems.ts';

export const text = (description: string): JsonSchema => ({ type: 'string', description });
const matching = (pattern: string, description: string): JsonSchema => ({ type: 'string', pattern, description });
export const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });

/** A closed object. All members are required, except those named in `optional`. */
export const closed = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): Exclude<JsonSchema, boolean> => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

export const ref = (name: string): Exclude<JsonSchema, boolean> => ({ $ref: `#/components/schemas/${name}` });

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const TIME = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$';
const ORB_ID = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?\\.[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?@[0-9A-Za-z.+-]+$';

/** Why policies deny a run. */
export const denial = closed(
  {
    policy: text('`namespace/name`; empty: no policy says it.'),
    rule: text('Name of the rule; a code, when no rule says it.'),
    severity: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
    code: text('Why, when it is not simply that the rule denies.'),
  },
  ['code'],
);

/** Schemas that all routes share. */
export const shapes = {
  time: matching(TIME, 'UTC with milliseconds.'),
  digest: matching('^sha256:[0-9a-f]{64}$', 'SHA-256 as lower-case hexadecimal.'),
  decisionId: matching(`^dec_${UUID}$`, 'Id of a decision of policies.'),
  replayId: matching(`^rpl_${UUID}$`, 'Id of a replay of policies.'),
  receiptId: matching(`^rcpt_${UUID}$`, 'Receipt id.'),
  swapId: matching(`^swp_${UUID}$`, 'Id of a manual swap.'),
  runId: matching(`^run_${UUID}$`, 'Run id.'),
  // A run that the sweeper closed has no request any more: its stored answer names the run.
  requestId: matching(`^(req|run)_${UUID}$`, 'Request id; also the header Orb-Request-Id.'),
  orbId: matching(ORB_ID, '{org}.{name}@{semver}'),
  jws: matching('^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$', 'Compact JWS.'),
  outcome: {
    type: 'string',
    enum: ['success', 'orb_error', 'timeout', 'policy_denied', 'caller_error', 'platform_error'],
  },
  riskLevel: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
  score: { type: 'integer', minimum: 0, maximum: 100, description: 'Higher score = lower risk.' },
  hashes: { type: 'array', items: { type: 'string', contentEncoding: 'base64' }, maxItems: 64 },
} as const satisfies Record<string, JsonSchema>;

/** `RateLimit` of a request. */
export const rateLimitHeader = {
  description:
    '`"orbiset";r=49;t=1`: 49 more runs may start now, and all of them again in 1 second. Other limits in the same form, with commas between them.',
  schema: { type: 'string' },
} as const;

/** `RateLimit-Policy` of the same request. */
export const rateLimitPolicyHeader = {
  description:
    '`"key";q=200;w=2`: 200 requests in 2 seconds. `orbiset` only with limits.rate_per_second of the Orbiset.',
  schema: { type: 'string' },
} as const;

const salt = closed({ salt: matching('^[A-Za-z0-9_-]{22}$', '16 bytes in base64url; given once, never stored.') });

/** Why an attempt failed; not in a receipt. */
const cause = {
  reason: {
    type: 'string',
    enum: Object.keys(ATTEMPT_REASONS),
    description: 'Why it failed; not in the receipt. docs/reference/failure-reasons.md explains each.',
  },
  detail: text('The place, type or limit of the fault; never a value of the body. Redacted.'),
} as const satisfies Record<string, JsonSchema>;

const attemptOutcome = { type: 'string', enum: ATTEMPT_OUTCOMES } as const;
const httpStatus = { type: ['integer', 'null'], minimum: 100, maximum: 599 } as const;

const attempt = closed(
  {
    provider: text('Name of the provider.'),
    outcome: attemptOutcome,
    http_status: httpStatus,
    duration_ms: count('Milliseconds.'),
    ...cause,
  },
  ['reason', 'detail'],
);

export const openings = closed({ input: salt, output: salt }, ['input', 'output']);

const status = { type: 'string', enum: ['completed', 'failed', 'timed_out', 'denied'] } as const;

export const providerBody = text(
  'Redacted answer of the provider, at most 4096 bytes; only when the manifest or the developer asks for it.',
);

const scalar = { type: ['number', 'boolean', 'string', 'null'] } as const;

const problemError = closed(
  {
    pointer: text('RFC 6901, into the body.'),
    parameter: text('Query parameter.'),
    header: text('Request header.'),
    code: matching('^[a-z0-9]+(-[A-Za-z0-9]+)*$', 'The rule; schema-KEYWORD has the keyword as JSON Schema writes it.'),
    detail: text('What to do.'),
    suggestion: text('Nearest known name.'),
  },
  ['pointer', 'parameter', 'header', 'suggestion'],
);

const problemSchema = closed(
  {
    type: matching('^https://orbs\\.dev/problems/[a-z0-9-]+$', 'Names the code.'),
    title: text('The same for every occurrence.'),
    status: { type: 'integer', minimum: 400, maximum: 599 },
    code: { type: 'string', enum: Object.keys(problems) },
    detail: text('About this occurrence.'),
    next: text('What to do next.'),
    request_id: shapes.requestId,
    errors: { type: 'array', items: problemError, minItems: 1 },
    run: ref('ProblemRun'),
    decision_id: shapes.decisionId,
    rules: {
      type: 'array',
      items: denial,
      maxItems: 64,
      description:
        'What denied the run, ended its attempts or left providers out of it; the first is the one to report.',
    },
    maybe_executed: { const: true, description: 'The provider may have done its work.' },
    retry_after_s: {
      type: 'integer',
      minimum: 0,
      description: 'Seconds to wait before the next try; the same as the header Retry-After.',
    },
    limit: {
      enum: LIMIT_NAMES,
      description: 'What the rate that was hit is counted for; docs/multi-tenancy.md explains each.',
    },
    provider_status: { type: 'integer', minimum: 100, maximum: 599 },
    provider_body: providerBody,
    openings,
    entry: text('Vault entry that is missing or may not be used.'),
    host: text('Host that the entry would go to.'),
    manager: text('Field manager that keeps the policy, or file:NAME of --resources.'),
    patch: { type: ['object', 'null'], description: 'JSON Merge Patch of the object to make there; null: delete it.' },
    gate: closed({
      passed: { const: false },
      failing: {
        type: 'array',
        items: closed({ limit: text('Name of the limit.'), allowed: { type: 'number' }, actual: { type: 'number' } }),
      },
    }),
    active_provider: text('Provider that is active.'),
    validation_report: ref('ValidationReport'),
    missing: {
      type: 'array',
      description: 'Criteria that the next tier lacks.',
      items: closed({ id: text('Stable code.'), required: scalar, actual: scalar }),
    },
  },
  [
    'detail',
    'errors',
    'run',
    'decision_id',
    'rules',
    'maybe_executed',
    'retry_after_s',
    'limit',
    'provider_status',
    'provider_body',
    'openings',
    'entry',
    'host',
    'manager',
    'patch',
    'gate',
    'active_provider',
    'validation_report',
    'missing',
  ],
);

/** Named schemas that more than one service uses (`#/components/schemas/NAME`). */
export const components = {
  Problem: problemSchema,
  Attempt: attempt,
  /** The last failed attempt at a provider in one replica. */
  LastFailure: {
    oneOf: [
      closed({
        at: shapes.time,
        outcome: attemptOutcome,
        http_status: httpStatus,
        ...cause,
        run_id: { oneOf: [shapes.runId, { type: 'null' }], description: 'Null: the run of another namespace.' },
      }),
      { type: 'null' },
    ],
  },
  ReceiptSummary: closed({
    receipt_id: shapes.receiptId,
    trust_score: shapes.score,
    risk_level: shapes.riskLevel,
    signature_valid: { type: 'boolean', description: 'Computed on every read.' },
    timestamp: shapes.time,
  }),
  /** A run that did not complete; `receipt` is absent while it could not be stored. */
  ProblemRun: closed(
    {
      run_id: shapes.runId,
      status,
      attempts: { type: 'array', items: ref('Attempt'), maxItems: 16 },
      receipt: ref('ReceiptSummary'),
    },
    ['receipt'],
  ),
} as const satisfies Record<string, JsonSchema>;
