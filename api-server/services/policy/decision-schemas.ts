import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, shapes, text } from '../../http/schemas.ts';

const effect = { type: 'string', enum: ['allow', 'deny'] } as const;
const provider = { type: ['string', 'null'], description: 'Of phases Request and Response.' } as const;
const phase = { type: 'string', enum: ['PreFlight', 'Request', 'Response'] } as const;
const policyId = text('namespace/name');

const rule = closed(
  {
    policy: policyId,
    policy_digest: shapes.digest,
    rule: text('Name of the rule.'),
    effect: { type: 'string', enum: ['deny', 'allow', 'require'] },
    result: { type: 'string', enum: ['true', 'error'] },
    enforced: { type: 'boolean', description: 'False: an Audit policy, or outside the rollout.' },
    severity: shapes.riskLevel,
    message: text('For the caller; empty unless the rule denies.'),
    phase,
    provider,
  },
  ['phase', 'provider'],
);

const denial = closed(
  {
    policy: text('namespace/name; empty: the Orbiset.'),
    rule: text('Name of the rule, or the code of a denial without one.'),
    severity: shapes.riskLevel,
    code: text('Why, unless a deny rule matched.'),
    message: text('For the caller.'),
  },
  ['code'],
);

const shadow = closed({
  decision: { type: 'string', enum: ['would_allow', 'would_deny'] },
  differs: { type: 'boolean', description: 'All policies together, audited ones too, would have decided otherwise.' },
});

/** Values of the parts of a condition. */
const trace = { type: 'object', required: ['expr', 'value'] } as const;

/** Parts that the answers about tried policies have too. */
export const decisionParts = {
  effect,
  phase,
  denial,
  shadow,
  rule: closed(
    {
      policy: policyId,
      rule: text('Name of the rule.'),
      effect: { type: 'string', enum: ['deny', 'allow', 'require'] },
      result: { type: 'string', enum: ['true', 'error'] },
      enforced: { type: 'boolean', description: 'False: an Audit policy, or outside the rollout.' },
      severity: shapes.riskLevel,
      message: text('For the caller; empty unless the rule denies.'),
      trace,
    },
    ['trace'],
  ),
};

/** How tried policies decide otherwise than those in force. */
export const changeKinds = ['new_deny', 'new_allow', 'obligations_changed'];

const exception = closed({
  policy: policyId,
  orb: { type: 'string' },
  caller: { type: 'string' },
  rule: { type: 'string' },
  until: { type: 'string' },
  reason: { type: 'string' },
});

const list = (items: JsonSchema, description: string): JsonSchema => ({ type: 'array', items, description });

/** A decision as lists show it (policy.md §3.4). */
export const decisionSchema: JsonSchema = closed({
  decision_id: shapes.decisionId,
  at: shapes.time,
  run_id: shapes.runId,
  receipt_id: { anyOf: [shapes.receiptId, { type: 'null' }], description: 'null while the run is open.' },
  orbiset: text('{namespace}.{name}'),
  orb_id: shapes.orbId,
  caller: text('key:…, sa:… or anonymous.'),
  phase,
  provider,
  decision: effect,
  default_used: { type: 'boolean', description: 'No rule decided.' },
  policy_set_digest: shapes.digest,
  engine: text('Language, its version and the fact schema.'),
  facts_schema: text('Name of the fact schema.'),
  facts_digest: shapes.digest,
  rules: list(rule, 'Rules that matched or failed.'),
  denials: list(denial, 'Why the run was denied; the first is the one to report.'),
  obligations: list({ type: 'object', required: ['type'] }, 'What the run was bound to.'),
  exceptions_used: list(exception, 'Exceptions that switched off a deny rule.'),
  shadow,
  decided_us: count('Time that the decision took, µs.'),
  approvals: list({ type: 'string' }, 'Scopes whose approval the run needs.'),
});

/** `GET /decisions`. */
export const decisionListSchema: JsonSchema = closed({
  items: { type: 'array', items: decisionSchema, maxItems: 200 },
  next_cursor: { type: ['string', 'null'] },
});

const change = { fact: text('The fact.'), from: true, to: true } as const;

/** `POST /decisions/{decision_id}/explain`. */
export const explanationSchema: JsonSchema = closed({
  decision: effect,
  policies: {
    type: 'string',
    enum: ['recorded', 'current'],
    description:
      'recorded: decided by the set of then. current: by the set of today, because that one is not in force.',
  },
  because: {
    type: 'array',
    items: closed({
      policy: policyId,
      rule: { type: 'string' },
      trace,
    }),
    description: 'Rules that matched or failed, with the values of their parts.',
  },
  smallest_flips: {
    type: 'array',
    items: closed({ ...change, also: { type: 'array', items: closed(change) }, decision: effect }, ['also']),
    description: 'Changes of one fact that change the decision; when there is none, of two (also).',
  },
  approvals: list({ type: 'string' }, 'Scopes whose approval the run lacked: that alone denied it.'),
});

/** `POST /decisions/{decision_id}/approve`. */
export const approvalSchema: JsonSchema = closed({
  decision_id: shapes.decisionId,
  grants: {
    type: 'array',
    items: closed({ grant_id: text('The grant.'), scope: text('What it stands for.'), expires_at: shapes.time }),
    minItems: 1,
  },
});
