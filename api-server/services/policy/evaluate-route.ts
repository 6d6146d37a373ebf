import type { Drafts } from '../../../adapters/draft-worker/port.ts';
import { jcs } from '../../../core/json/jcs.ts';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { childPointer } from '../../../core/manifest/child-pointer.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import { listObligations } from '../../../core/policy/decision/obligations.ts';
import { policySet, type PolicySet } from '../../../core/policy/decision/policy-set.ts';
import type { WrittenPolicy } from '../../../core/policy/document/compile-document.ts';
import { ORB_FACTS, withInputs } from '../../../core/policy/facts/orb-facts.ts';
import type { FactSchema } from '../../../core/policy/facts/fact-schema.ts';
import { dryRunSteps, type DryRun } from '../../../core/policy/simulation/dry-run.ts';
import { completedFacts, type CompletedFacts } from '../../../core/policy/simulation/test-facts.ts';
import { namespaceParameter } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { orbisetRef } from '../../http/tenant.ts';
import { inSlices } from '../../http/in-slices.ts';
import type { ResolvedRun } from '../../run/plan.ts';
import { factsBefore } from '../../run/policy-facts.ts';
import { denialJson } from '../../run/policy-json.ts';
import { findOrb } from '../../run/resolve.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { DRAFT_PROBLEMS, draftStep } from './draft-answer.ts';
import { draftSet, readDrafts } from './draft-set.ts';
import { readEvaluation, rootFaults, type Evaluation } from './evaluate-body.ts';
import { dryRunSchema, evaluationBodySchema } from './evaluate-schemas.ts';
import { problemErrors } from './policy-body.ts';
import type { SimulationRate } from './simulation-rate.ts';
import { traceJson } from './trace-json.ts';

/** The Orb and the Orbiset of the request, if the caller may see them. */
function resolve(runtime: Runtime, request: RouteRequest, asked: Evaluation): Step<ResolvedRun> {
  const ref = request.caller && orbisetRef(asked.orbiset, request.caller);
  const orbiset = ref && runtime.catalog.orbiset(ref.namespace, ref.name);
  if (orbiset === undefined) return refuse(problem(request, 'orbiset-not-found'));
  const orb = findOrb(runtime, request, orbiset, asked.orbId);
  return orb.ok ? { ok: true, value: { orbiset, orb: orb.value, inputs: asked.inputs } } : orb;
}

const NO_DRAFTS = { kind: 'done', value: [] } as const;

interface Tried {
  readonly run: ResolvedRun;
  readonly asked: Evaluation;
}

/** Facts that may be named: those of the program, and the inputs that the policies declare. */
const schemaFor = ({ members }: PolicySet, drafts: readonly WrittenPolicy[]): FactSchema =>
  withInputs(
    ORB_FACTS,
    Object.fromEntries([
      ...members.flatMap(({ definition }) => Object.entries(definition.spec.inputFacts)),
      ...drafts.flatMap(({ spec }) => Object.entries(spec.inputFacts ?? {})),
    ]),
  );

const rootFindings = (facts: JsonObject): readonly Finding[] =>
  rootFaults(facts).map((root) => ({
    severity: 'error',
    code: 'type-error',
    pointer: childPointer('/facts', root),
    detail: 'write an object of facts by name',
  }));

/** Given facts over live ones over defaults. No vault is read: the run has no secrets yet in phase PreFlight. */
function factsFor(runtime: Runtime, request: RouteRequest, { run, asked }: Tried, schema: FactSchema): CompletedFacts {
  const { clock, policyState } = runtime;
  const startedAt = clock.now();
  const { orbiset, orb } = run;
  const caller = request.caller?.id ?? '';
  const counted = { tenant: orbiset.namespace, orbiset: orbiset.fullName, orbId: orb.orbId, caller };
  const live = factsBefore(runtime, {
    ...run,
    caller: request.caller,
    startedAt,
    hasIdempotencyKey: false,
    runsToday: policyState.dayCounts.of(counted, startedAt),
    inputBytes: Buffer.byteLength(jcs(run.inputs)),
    inputNames: Object.keys(run.inputs),
  });
  return completedFacts(schema, asked.facts, '/facts', live.facts);
}

function rulesJson({ rules }: DryRun): readonly JsonObject[] {
  return rules.map(({ policy, rule, effect, result, enforced, severity, message, trace }) => ({
    policy,
    rule,
    effect,
    result,
    enforced,
    severity,
    message,
    ...(trace === undefined ? {} : { trace: traceJson(trace) }),
  }));
}

function answerOf(found: DryRun, current: PolicySet): JsonObject {
  const { decision, denials, obligations, shadow } = found.decision;
  return {
    decision,
    denials: denials.map((denial) => ({ ...denialJson(denial), message: denial.message })),
    obligations: listObligations(obligations),
    rules: rulesJson(found),
    shadow,
    current: { decision: found.current.decision, policy_set_digest: current.digest },
    changes: found.changes.map(({ kind, rule }) => ({ kind, rule })),
    facts_used: Object.fromEntries(found.factsUsed),
    missing_facts: found.missingFacts,
  };
}

const draftsIn = ({ include, policies }: Evaluation): readonly JsonValue[] => (include === 'current' ? [] : policies);

async function evaluated(
  { runtime, drafts }: EvaluateParts,
  request: RouteRequest,
  { run, asked }: Tried,
): Promise<Reply> {
  const { orbiset } = run;
  const { namespace: tenant } = orbiset;
  const { include, phase, isTraced } = asked;
  const read = await readDrafts(draftsIn(asked), tenant);
  if (!read.ok) return problem(request, 'policy-invalid', { errors: problemErrors(read.findings) });
  const current = runtime.policies.of(tenant) ?? policySet([], []);
  const facts = factsFor(runtime, request, { run, asked }, schemaFor(current, read.policies));
  const work = { policies: read.policies, facts: facts.facts, isTraced, now: runtime.clock.now() };
  const answer = work.policies.length === 0 ? NO_DRAFTS : await drafts.evaluate(work, tenant);
  const found = draftStep(request, answer, '/policies');
  if (!found.ok) return found.reply;
  const tried = draftSet(current, read.policies, found.value, include);
  if (!tried.ok) return problem(request, 'policy-invalid', { errors: problemErrors(tried.findings) });
  const findings = [...rootFindings(asked.facts), ...facts.findings];
  if (findings.length > 0) return problem(request, 'invalid-parameter', { errors: problemErrors(findings) });
  const options = { orbiset: orbiset.policies, namespace: tenant, kept: undefined };
  const made = await inSlices(dryRunSteps({ tried: tried.set, current, facts, phase, options, isTraced }));
  return json(orbiset.redactor.json(answerOf(made, current)).value);
}

export interface EvaluateParts {
  readonly runtime: Runtime;
  readonly rate: SimulationRate;
  readonly drafts: Pick<Drafts, 'evaluate'>;
}

/** `POST /policies/evaluate` (policy.md §5): what policies would decide about one request; nothing runs or is stored. */
export function evaluateRoute(parts: EvaluateParts): Route {
  const { runtime, rate } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = rate.refusal(request);
    if (refused !== undefined) return refused;
    const asked = readEvaluation(request);
    if (!asked.ok) return asked.reply;
    const run = resolve(runtime, request, asked.value);
    if (!run.ok) return run.reply;
    const { fullName, namespace } = run.value.orbiset;
    const about = { caller: request.caller?.id, tenant: namespace, orbiset: fullName, orb_id: asked.value.orbId };
    runtime.logger.info('policies are tried on a request', { ...about, include: asked.value.include });
    return evaluated(parts, request, { run: run.value, asked: asked.value });
  };
  return {
    method: 'post',
    path: '/policies/evaluate',
    scope: 'policies:simulate',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'evaluatePolicies',
      summary: 'What policies would decide about one request',
      description:
        'Drafts count as enforced. Facts that are not given are live, or have the defaults of their schema; facts_used says which. Approvals count as not given. No secret is read.',
      tags: ['policies'],
      parameters: [namespaceParameter],
      requestBody: { required: true, content: { 'application/json': { schema: evaluationBodySchema } } },
      responses: {
        '200': { description: 'The decision.', content: { 'application/json': { schema: dryRunSchema } } },
      },
      problems: [
        'invalid-parameter',
        'unknown-member',
        'invalid-json',
        'orbiset-not-found',
        'orb-not-found',
        'orb-not-ready',
        'orb-not-allowed',
        'orb-differs-from-publication',
        ...DRAFT_PROBLEMS,
      ],
    },
  };
}
