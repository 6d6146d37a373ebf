import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, text } from '../../http/schemas.ts';

const PHASE_NAMES = ['PreFlight', 'Request', 'Response'];

/** An object with a member for some of the phases. */
const byPhase = (schema: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(PHASE_NAMES.map((phase) => [phase, schema])),
  additionalProperties: false,
});

const finding = closed({
  level: { type: 'string', enum: ['error', 'warning', 'info'], description: 'Only errors keep a policy from force.' },
  pointer: text('RFC 6901, into the policy.'),
  code: text('The rule of the language or of the schema.'),
  detail: text('Line and column where there are some, and what to write.'),
});

/** A policy of a body, or of the answer: a document of kind OrbPolicy. */
export const policySchema: JsonSchema = {
  type: 'object',
  required: ['metadata', 'spec'],
  description: 'An OrbPolicy; apiVersion and kind may be left out.',
};

/** `POST /policies/validate`. */
export const validationSchema: JsonSchema = closed(
  {
    valid: { type: 'boolean', description: 'It compiles, passes its tests and fits into the budget of its tenant.' },
    policy_digest: text('Digest of what would be in force.'),
    reads_facts: { type: 'array', items: { type: 'string' }, description: 'Facts that it reads.' },
    cost_units: byPhase(count('Upper bound of its cost, units of about 0.1 µs.')),
    budget_after: byPhase(
      closed({ used: count('Units of all policies of the tenant with this one.'), max: count('Most units.') }),
    ),
    tests: {
      type: 'array',
      items: closed(
        {
          name: text('The test.'),
          passed: { type: 'boolean' },
          detail: text('What came in place of what was expected.'),
        },
        ['detail'],
      ),
    },
    findings: { type: 'array', items: finding },
  },
  ['policy_digest', 'reads_facts', 'cost_units', 'budget_after'],
);
