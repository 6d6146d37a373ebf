import type { JsonSchema } from '../../http/operation.ts';
import { closed, shapes, text } from '../../http/schemas.ts';
import { changeKinds, decisionParts } from './decision-schemas.ts';
import { policySchema } from './schemas.ts';

const { effect, phase, denial, rule: recorded, shadow } = decisionParts;

/** Body of `POST /policies/evaluate`. */
export const evaluationBodySchema: JsonSchema = closed(
  {
    orbiset: text('A name, or {namespace}.{name}.'),
    orb_id: shapes.orbId,
    inputs: { type: 'object', description: 'Inputs of the run.' },
    facts: {
      type: 'object',
      additionalProperties: { type: 'object' },
      description: 'Facts by root and name, such as {"orbiset":{"runs_today":3}}.',
    },
    phase,
    policies: { type: 'array', items: policySchema, maxItems: 20, description: 'Drafts.' },
    include: {
      type: 'string',
      enum: ['draft', 'current', 'current+draft'],
      description: 'Policies to try; the default is current+draft, where a draft replaces the policy of its name.',
    },
    trace: { type: 'boolean', description: 'True: values of the parts of each rule that matched or failed.' },
  },
  ['inputs', 'facts', 'phase', 'policies', 'include', 'trace'],
);

/** `POST /policies/evaluate`. */
export const dryRunSchema: JsonSchema = closed({
  decision: effect,
  denials: { type: 'array', items: denial },
  obligations: { type: 'array', items: { type: 'object', required: ['type'] } },
  rules: { type: 'array', items: recorded, description: 'Rules that matched or failed.' },
  shadow,
  current: closed({ decision: effect, policy_set_digest: shapes.digest }),
  changes: {
    type: 'array',
    items: closed({
      kind: { type: 'string', enum: changeKinds },
      rule: text('namespace/name/rule, or the code of a denial without a rule.'),
    }),
    description: 'What the tried policies change against those in force.',
  },
  facts_used: {
    type: 'object',
    additionalProperties: { type: 'string', enum: ['given', 'live', 'default'] },
    description: 'Facts that the policies read, with the origin of their value.',
  },
  missing_facts: {
    type: 'array',
    items: { type: 'string' },
    description: 'Facts that the policies read and that are absent.',
  },
});
