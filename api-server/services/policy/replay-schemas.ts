import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, shapes, text } from '../../http/schemas.ts';
import { policySchema } from './schemas.ts';

const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const list = (items: JsonSchema, length?: number): JsonSchema =>
  length === undefined ? { type: 'array', items } : { type: 'array', items, minItems: length, maxItems: length };
const effect = { type: 'string', enum: ['allow', 'deny'] } as const;
const status = { type: 'string', enum: ['running', 'completed', 'failed', 'cancelled', 'aborted'] } as const;
const stateful = { type: 'string', enum: ['as_recorded', 'recomputed', 'both'] } as const;
const baseline = { type: 'string', enum: ['recorded', 'current'] } as const;
const window = closed({ from: { type: 'string' }, to: { type: 'string' } });
const names = list({ type: 'string' });
const filter = closed({ orb_ids: names, orbisets: names }, ['orb_ids', 'orbisets']);
const sample = closed({ percent: { type: 'number' }, seed: { type: 'integer' } }, ['percent', 'seed']);

/** Body of `POST /policies/replay`. */
export const replayBodySchema: JsonSchema = closed(
  {
    policy: policySchema,
    ref: text('namespace/name of a stored policy, with digest.'),
    digest: shapes.digest,
    baseline,
    window,
    filter,
    sample,
    stateful,
  },
  ['policy', 'ref', 'digest', 'baseline', 'filter', 'sample', 'stateful'],
);

const summary = {
  replay_id: shapes.replayId,
  status,
  policy: text('namespace/name'),
  policy_digest: shapes.digest,
  started_at: shapes.time,
  ended_at: nullable(shapes.time),
} as const;

/** Answer to `POST /policies/replay`. */
export const startedSchema: JsonSchema = closed({ replay_id: shapes.replayId, status });

export const replayListSchema: JsonSchema = closed({
  items: list(closed(summary)),
  next_cursor: { type: ['string', 'null'] },
});

const counts = closed({
  unchanged: count('Runs with the same decision.'),
  allow_to_deny: count('Allowed runs that would be denied.'),
  deny_to_allow: count('Denied runs that would be allowed.'),
  obligations_changed: count('Allowed runs that would be bound otherwise.'),
  error: count('Decided runs in which a rule failed; they are in one of the counts above, too.'),
  indeterminate: count('Runs that could not be decided.'),
});
/** A name, then a number. Many tools that read OpenAPI do not know `prefixItems`. */
const named = list(list({ type: ['string', 'integer'] }, 2));

const result = {
  evaluated: count('Receipts that were looked at.'),
  elapsed_ms: count('Milliseconds since it began.'),
  counts,
  as_recorded: nullable(counts),
  recomputed: nullable(counts),
  affected: closed({
    orbs: named,
    callers: named,
    first: nullable(shapes.time),
    last: nullable(shapes.time),
  }),
  indeterminate: list(closed({ reason: text('Why.'), fact: text('Which fact.'), count: count('Runs.') }, ['fact'])),
  verified: closed({ receipts: count('With checked digests.'), signatures: count('With a checked signature.') }),
  changes_left_out: count('Changes that are not kept: the first 10 000 are.'),
  gate: nullable(
    closed({
      passed: { type: 'boolean' },
      failing: list(closed({ limit: text('Name.'), allowed: { type: 'number' }, actual: { type: 'number' } })),
    }),
  ),
  error: text('Why it failed.'),
  jws: shapes.jws,
} as const;

/** Answer to `GET /replays/{replay_id}`. Members of the result come with the first receipts. */
export const replaySchema: JsonSchema = closed(
  {
    ...summary,
    engine: text('What decides.'),
    policy_set_digest: shapes.digest,
    baseline,
    window,
    filter,
    sample,
    stateful,
    ...result,
  },
  Object.keys(result),
);

/** Answer to `GET /replays/{replay_id}/changes`. */
export const changeListSchema: JsonSchema = closed({
  items: list(
    closed(
      {
        receipt_id: shapes.receiptId,
        at: shapes.time,
        orb_id: shapes.orbId,
        orbiset: text('{namespace}.{name}'),
        caller: text('Who sent the run.'),
        kind: { type: 'string', enum: ['allow_to_deny', 'deny_to_allow', 'obligations_changed'] },
        from: effect,
        to: effect,
        rule: text('namespace/name/rule, or a code: what denies, on the side that denies; else empty.'),
        stateful: { type: 'string', enum: ['as_recorded', 'recomputed'] },
        trace: { type: 'object', description: 'Values of the parts of the rule that denies now.' },
      },
      ['trace'],
    ),
  ),
  next_cursor: { type: ['string', 'null'] },
});
