import type { Drafts, ValidatedDraft } from '../../../adapters/draft-worker/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import type { PolicySet } from '../../../core/policy/decision/policy-set.ts';
import { namespaceParameter } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import type { Member } from '../../http/read-members.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed } from '../../http/schemas.ts';
import { DRAFT_PROBLEMS, draftStep } from './draft-answer.ts';
import { readBody, readPolicy, scopeFindings, tenantOfPolicy } from './policy-body.ts';
import { unitsBeside } from './policy-document.ts';
import { policySchema, validationSchema } from './schemas.ts';
import type { SimulationRate } from './simulation-rate.ts';

export interface ValidateParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly rate: SimulationRate;
  readonly platformNamespace: string;
  /** The policies that meet the runs of a namespace. */
  readonly policies: { readonly of: (namespace: string) => PolicySet | undefined };
  readonly drafts: Pick<Drafts, 'validate'>;
}

const MEMBERS: readonly Member[] = [{ name: 'policy', accepts: () => true, expected: 'an OrbPolicy' }];

const shownFinding = ({ severity, pointer, code, detail }: Finding): JsonObject => ({
  level: severity,
  pointer,
  code,
  detail,
});

function answerOf(found: ValidatedDraft, more: readonly Finding[]): JsonObject {
  const { digest, compiled, budgetAfter, tests } = found;
  const findings = [...more, ...found.findings];
  return {
    valid: found.valid && more.length === 0,
    policy_digest: digest,
    ...(compiled === undefined
      ? {}
      : {
          reads_facts: compiled.readsFacts,
          cost_units: { ...compiled.costUnits },
          budget_after: Object.fromEntries(
            Object.entries(budgetAfter).map(([phase, { used, max }]) => [phase, { used, max }]),
          ),
        }),
    tests: tests.map(({ name, passed, detail }) => (passed ? { name, passed } : { name, passed, detail })),
    findings: findings.map(shownFinding),
  };
}

/** `POST /policies/validate` (policy.md §5): lint, cost, budget and tests of a policy; nothing is stored. */
export function validateRoute(parts: ValidateParts): Route {
  const { clock, logger, rate, platformNamespace, policies, drafts } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = rate.refusal(request);
    if (refused !== undefined) return refused;
    const body = readBody(request, MEMBERS);
    if (!body.ok) return body.reply;
    const { policy = null } = body.value;
    const choice = tenantOfPolicy(request, policy);
    if (choice.kind !== 'tenant')
      return problem(request, choice.kind === 'ambiguous' ? 'namespace-ambiguous' : 'namespace-not-found');
    const read = readPolicy(policy);
    if (!read.ok) return json({ valid: false, tests: [], findings: read.findings.map(shownFinding) });
    const { tenant } = choice;
    const { spec, metadata } = read.value;
    const { name } = metadata;
    logger.info('a policy is validated', { caller: request.caller?.id, tenant, policy: name });
    const place = { namespace: tenant, name };
    const work = { policy: { ...place, spec }, othersUnits: unitsBeside(place, policies), now: clock.now() };
    const found = draftStep(request, await drafts.validate(work, tenant), '/policy/spec');
    if (!found.ok) return found.reply;
    return json(answerOf(found.value, scopeFindings(read.value, tenant, platformNamespace)));
  };
  return {
    method: 'post',
    path: '/policies/validate',
    scope: 'policies:simulate',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'validatePolicy',
      summary: 'Whether a policy would take force, with lint, cost and tests',
      tags: ['policies'],
      parameters: [namespaceParameter],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: closed({ policy: policySchema }) } },
      },
      responses: {
        '200': {
          description: 'What was found, also about a policy that is not valid.',
          content: { 'application/json': { schema: validationSchema } },
        },
      },
      problems: [
        'invalid-parameter',
        'unknown-member',
        'invalid-json',
        'namespace-not-found',
        'namespace-ambiguous',
        ...DRAFT_PROBLEMS,
      ],
    },
  };
}
