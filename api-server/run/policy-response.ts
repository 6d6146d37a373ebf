import type { RunFinish } from '../../adapters/ledger/port.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { jcs } from '../../core/json/jcs.ts';
import { decide } from '../../core/policy/decision/decide.ts';
import { decidesRequests, usesPhase } from '../../core/policy/decision/run-decision.ts';
import { laterFacts } from '../../core/policy/facts/build-facts.ts';
import { FACTS_SCHEMA } from '../../core/policy/facts/orb-facts.ts';
import type { Facts } from '../../core/policy/language/port.ts';
import type { RunEnding } from '../../core/run/record.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AttemptResult } from './attempt.ts';
import { factsOfRequest, factsOfResponse } from './policy-facts.ts';
import { decisionRow, leavesNoFacts, policyRecord, violationRows } from './policy-rows.ts';
import { afterPhases, observeDecisions, snapshotOf, type RunPolicy } from './run-policy.ts';
import type { SealedRun } from './seal-run.ts';
import type { Run } from './start.ts';

/** Facts that the phases before the answer had. */
function factsSoFar({ plan }: Run, policy: RunPolicy, { ready }: AttemptResult): Facts {
  const { set, bound, facts } = policy;
  return decidesRequests(set, bound) ? laterFacts(facts, factsOfRequest(plan, ready)) : facts;
}

/** @returns `policy` itself when no policy looks at answers */
function decideResponse(runtime: Runtime, run: Run, policy: RunPolicy, result: AttemptResult): RunPolicy {
  if (!usesPhase(policy.set, 'Response')) return policy;
  const began = runtime.clock.monotonic();
  const added = factsOfResponse(run.plan.orbiset, result, began - run.began);
  const facts = laterFacts(factsSoFar(run, policy, result), added);
  const decision = decide(policy.set, facts, 'Response', policy.options);
  const { provider } = result;
  const response = { phase: 'Response', provider, decision, tookMs: runtime.clock.monotonic() - began } as const;
  observeDecisions(runtime, [response]);
  return {
    ...policy,
    ...afterPhases([...policy.phases, response]),
    snapshots: [...policy.snapshots, snapshotOf(runtime, 'Response', provider, jcs(added))],
  };
}

/** What policies make of the answer of a run. */
export interface Review {
  /** With the decision about the answer, if there was one; undefined: no policy meets the run. */
  readonly policy: RunPolicy | undefined;
  /** When the outputs may not leave: the same. */
  readonly denied: RunPolicy | undefined;
  /** What the receipt says otherwise than the seed of the run. */
  readonly record: Pick<RunEnding, 'policy'>;
}

/** Decides about a good answer before its outputs leave (policy.md §3.1). @param good undefined: the run failed */
export function reviewAnswer(runtime: Runtime, run: Run, good: AttemptResult | undefined): Review {
  const { policy: before } = run.plan;
  if (before === undefined || good === undefined) return { policy: before, denied: undefined, record: {} };
  const policy = decideResponse(runtime, run, before, good);
  if (policy === before) return { policy, denied: undefined, record: {} };
  const record = policyRecord(policy);
  return { policy, denied: record.record.decision === 'deny' ? policy : undefined, record: { policy: record } };
}

/** Whether policies keep an answer or outputs of it back, so that nobody may see its body. */
export const hidesBody = ({ policy, denied }: Review): boolean =>
  denied !== undefined || (policy !== undefined && policy.bound.redactResponse !== undefined);

/** The outputs without those that policies take away: they are null in the answer and in what the receipt commits to. */
export function withoutRedacted(outputs: JsonObject, policy: RunPolicy | undefined): JsonObject {
  const hidden = policy === undefined ? [] : (policy.bound.redactResponse ?? []);
  const there = hidden.filter((name) => Object.hasOwn(outputs, name));
  return there.length === 0 ? outputs : { ...outputs, ...Object.fromEntries(there.map((name) => [name, null])) };
}

/**
 * What the end of a run stores about policies, beside its receipt.
 * @param policy with the decision about the answer, if there was one
 * @returns undefined: nothing
 */
export function finishRows(
  runtime: Runtime,
  { plan }: Run,
  policy: RunPolicy,
  sealed: Pick<SealedRun, 'record' | 'isPublic'>,
): RunFinish['policy'] {
  const violations = violationRows(runtime, policy, sealed);
  if (policy === plan.policy) return violations.length === 0 ? undefined : { facts: [], violations };
  const { json, decision, shadow, shadowDiffers, policies } = decisionRow(
    policy,
    { ...plan, factsDigest: sealed.record.policy.facts_digest },
    true,
  );
  const isHidden = leavesNoFacts(policy);
  const added = policy.snapshots.filter(({ phase }) => phase === 'Response');
  return {
    response: { decision, json, shadow, shadowDiffers, policies },
    facts: isHidden
      ? []
      : added.map(({ phase, provider, salt, stored }) => ({
          phase,
          provider,
          schema: FACTS_SCHEMA,
          salt,
          facts: stored,
        })),
    ...(isHidden ? { erasesFacts: true as const } : {}),
    violations,
  };
}
