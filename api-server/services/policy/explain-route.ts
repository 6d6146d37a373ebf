import type { Catalog } from '../../../adapters/catalog/port.ts';
import type { Ledger, StoredFacts, StoredDecision } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { member } from '../../../core/json/members.ts';
import { NO_ORBISET_POLICIES } from '../../../core/policy/decision/decide.ts';
import { policySet, type PolicySet } from '../../../core/policy/decision/policy-set.ts';
import { laterFacts } from '../../../core/policy/facts/build-facts.ts';
import { PHASES, type Phase } from '../../../core/policy/facts/fact-schema.ts';
import type { Facts } from '../../../core/policy/language/port.ts';
import { explainSteps, type Explanation } from '../../../core/policy/simulation/explain.ts';
import { namespaceParameter } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { inSlices } from '../../http/in-slices.ts';
import { explanationSchema } from './decision-schemas.ts';
import { orbisetOf, recordOfDecision, redacted } from './decision-view.ts';
import { decisionParameter, findDecision } from './find-decision.ts';
import { recordedSet } from './recorded-set.ts';
import type { SimulationRate } from './simulation-rate.ts';
import { traceJson } from './trace-json.ts';

export interface ExplainParts {
  readonly ledger: Pick<Ledger, 'decision' | 'runFacts' | 'policyVersion'>;
  readonly catalog: Pick<Catalog, 'orbiset'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly rate: SimulationRate;
  readonly policies: { readonly of: (namespace: string) => PolicySet | undefined };
}

const isPhase = (value: unknown): value is Phase => PHASES.some((phase) => phase === value);

/** @throws TypeError the ledger holds something else */
function factsIn({ facts }: StoredFacts): Facts {
  const value: unknown = JSON.parse(facts);
  if (!isJsonObject(value)) throw new TypeError('recorded facts are no object');
  return value;
}

/** Facts of a phase and of the phases before it, for one provider. @returns undefined: they were not recorded */
function factsAt(recorded: readonly StoredFacts[], phase: Phase, provider: string | null): Facts | undefined {
  const wanted = recorded.filter(
    (one) => PHASES.indexOf(one.phase) <= PHASES.indexOf(phase) && (one.provider === null || one.provider === provider),
  );
  if (!wanted.some((one) => one.phase === phase)) return undefined;
  return wanted.map(factsIn).reduce<Facts>((before, added) => laterFacts(before, added), {});
}

const flipJson = ({ changes: [first, ...also], decision }: Explanation['smallestFlips'][number]): JsonObject => ({
  fact: first?.fact ?? '',
  from: first?.from ?? null,
  to: first?.to ?? null,
  ...(also.length === 0 ? {} : { also: also.map(({ fact, from, to }) => ({ fact, from, to })) }),
  decision,
});

const becauseJson = ({ because }: Explanation): readonly JsonObject[] =>
  because.map(({ policy, rule, trace }) => ({ policy, rule, trace: traceJson(trace) }));

/** Policies allowed the run, and only an approval was missing: facts alone would not change that. */
const heldBack = (found: Explanation, { approvals }: StoredDecision): boolean =>
  approvals.length > 0 && found.decision === 'allow';

function explanationJson(found: Explanation, stored: StoredDecision): JsonObject {
  const isHeldBack = heldBack(found, stored);
  return {
    decision: isHeldBack ? 'deny' : found.decision,
    because: becauseJson(found),
    smallest_flips: isHeldBack ? [] : found.smallestFlips.map(flipJson),
    approvals: isHeldBack ? stored.approvals : [],
  };
}

/** What the run recorded, and how it was decided. */
interface Recorded {
  readonly stored: StoredDecision;
  readonly record: JsonObject;
  readonly phase: Phase;
  readonly facts: Facts;
}

async function explainWith(
  set: PolicySet,
  { catalog }: ExplainParts,
  { stored, phase, facts }: Recorded,
): Promise<JsonObject> {
  const orbiset = orbisetOf(catalog, stored)?.policies ?? NO_ORBISET_POLICIES;
  const options = { orbiset, namespace: stored.tenant, kept: undefined };
  const found = await inSlices(explainSteps(facts, { set, phase, options }));
  return explanationJson(found, stored);
}

/** Policies may have changed since: those of then are taken as far as they decide the same. */
async function explained(parts: ExplainParts, recorded: Recorded): Promise<JsonObject> {
  const { stored, record } = recorded;
  const current = parts.policies.of(stored.tenant) ?? policySet([], []);
  if (record['policy_set_digest'] === current.digest)
    return { policies: 'recorded', ...(await explainWith(current, parts, recorded)) };
  const before = await recordedSet(parts.ledger, record, stored.at);
  const explanation = before && (await explainWith(before, parts, recorded));
  return explanation?.['decision'] === stored.decision
    ? { policies: 'recorded', ...explanation }
    : { policies: 'current', ...(await explainWith(current, parts, recorded)) };
}

/** `POST /decisions/{decision_id}/explain` (policy.md §5): why, over the facts that the run recorded. */
export function explainRoute(parts: ExplainParts): Route {
  const { ledger, catalog, logger, rate } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = rate.refusal(request);
    if (refused !== undefined) return refused;
    const found = await findDecision(request, ledger);
    if (!found.ok) return found.reply;
    const stored = found.value;
    const record = recordOfDecision(stored);
    const phase = record['phase'];
    const provider = member(record, 'provider');
    const recorded = await ledger.runFacts(stored.tenant, stored.runId);
    const facts = isPhase(phase) ? factsAt(recorded, phase, typeof provider === 'string' ? provider : null) : undefined;
    if (facts === undefined || !isPhase(phase)) return problem(request, 'facts-not-recorded');
    const { tenant, decisionId } = stored;
    logger.info('a decision is explained', { caller: request.caller?.id, tenant, decision_id: decisionId });
    return json(redacted(orbisetOf(catalog, stored), await explained(parts, { stored, record, phase, facts })));
  };
  return {
    method: 'post',
    path: '/decisions/{decision_id}/explain',
    scope: 'decisions:read',
    handle,
    operation: {
      operationId: 'explainDecision',
      summary: 'Why policies decided like this, and what would have changed it',
      tags: ['policies'],
      parameters: [decisionParameter, namespaceParameter],
      responses: {
        '200': { description: 'The explanation.', content: { 'application/json': { schema: explanationSchema } } },
      },
      problems: [
        'decision-not-found',
        'facts-not-recorded',
        'namespace-ambiguous',
        'rate-limited',
        'ledger-unavailable',
      ],
    },
  };
}
