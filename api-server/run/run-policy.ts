import { hostAllowed } from '../../core/egress/host-binding.ts';
import { jcs } from '../../core/json/jcs.ts';
import type { SharedText } from '../../core/json/shared-text.ts';
import { decide, withApprovals, type DecideOptions } from '../../core/policy/decision/decide.ts';
import { policySet, type PolicySet } from '../../core/policy/decision/policy-set.ts';
import {
  boundTo,
  decidesRequests,
  keptToHosts,
  runDecision,
  undecided,
  usesPhase,
} from '../../core/policy/decision/run-decision.ts';
import type { PhaseDecision, RunDecision } from '../../core/policy/decision/run-decision.ts';
import { joinObligations, type Obligations } from '../../core/policy/decision/obligations.ts';
import { laterFacts } from '../../core/policy/facts/build-facts.ts';
import type { Phase } from '../../core/policy/facts/fact-schema.ts';
import { SALT_BYTES, takeSnapshot, type FactsSnapshot } from '../../core/policy/facts/snapshot.ts';
import type { Facts } from '../../core/policy/language/port.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { ReadyAttempt } from '../../core/run/eligibility.ts';
import type { RouteRequest } from '../http/route.ts';
import type { CountedRun } from '../runtime/day-counts.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ParsedRequest } from './parse.ts';
import type { ResolvedRun } from './plan.ts';
import { factsBefore, factsOfRequest } from './policy-facts.ts';

/** An unused approval of this run. */
export interface Approval {
  readonly grantId: string;
  readonly scope: string;
}

/** The facts of one phase, as they are stored beside the run. */
export interface SaltedSnapshot extends FactsSnapshot {
  readonly salt: Uint8Array;
  /** The text of the facts as it is stored. */
  readonly stored: string | SharedText;
}

/** What policies decided about a run so far. Immutable: each phase makes another one. */
export interface RunPolicy {
  readonly decisionId: string;
  readonly set: PolicySet;
  readonly options: DecideOptions;
  /** Ms since epoch. */
  readonly startedAt: number;
  /** Of phase PreFlight. */
  readonly facts: Facts;
  /** In the order of policy.md §3.4. */
  readonly phases: readonly PhaseDecision[];
  /** What all phases together say. */
  readonly decided: RunDecision;
  /** What they bind the run to. */
  readonly bound: Obligations;
  readonly snapshots: readonly SaltedSnapshot[];
  readonly counted: CountedRun;
  /** Canonical JSON of the inputs. */
  readonly inputText: string;
  /** Hex; of the JCS of the inputs: what an approval is bound to. Computed when it is asked for: few runs need it. */
  readonly inputsSha256: () => string;
  /** Grants that the start of the run uses up. */
  readonly grants: readonly string[];
}

/** How a run is asked for. */
export interface Asking extends Pick<ParsedRequest, 'claim'> {
  /** Unused ones of this run, as far as they were looked up. */
  readonly approvals: readonly Approval[];
}

/** For an Orbiset whose own default denies, in a namespace without policies. */
const NO_POLICIES = policySet([], []);

/** The policies that meet the runs of an Orbiset; undefined: none does. */
const setFor = (runtime: Runtime, { orbiset }: ResolvedRun): PolicySet | undefined =>
  runtime.policies.of(orbiset.namespace) ?? (orbiset.policies.defaultEffect === 'deny' ? NO_POLICIES : undefined);

/** What follows from the decisions of the phases, computed once. */
export const afterPhases = (phases: readonly PhaseDecision[]): Pick<RunPolicy, 'phases' | 'decided' | 'bound'> => ({
  phases,
  decided: runDecision(phases),
  bound: boundTo(phases),
});

/** @param facts canonical JSON of what the phase adds to the facts */
export const snapshotOf = (runtime: Runtime, phase: Phase, provider: string | null, facts: string): SaltedSnapshot => {
  const salt = runtime.random(SALT_BYTES);
  const { digest } = takeSnapshot(phase, provider, facts, salt);
  return { phase, provider, facts, digest, salt, stored: facts };
};

const inputsDigest = ({ sealing: { encoding, sha256Hex } }: Runtime, inputText: string): string =>
  sha256Hex(encoding.utf8(inputText));

function countedAs({ orbiset, orb }: ResolvedRun, { caller }: RouteRequest): CountedRun {
  return {
    tenant: orbiset.namespace,
    orbiset: orbiset.fullName,
    orbId: orb.orbId,
    caller: caller?.id ?? 'anonymous',
  };
}

/**
 * Decides before a value of a secret is read for the run (policy.md §3.1).
 * @returns undefined: no policy meets the run
 */
export function decidePreFlight(
  runtime: Runtime,
  request: RouteRequest,
  resolved: ResolvedRun,
  { claim, approvals }: Asking,
): RunPolicy | undefined {
  const set = setFor(runtime, resolved);
  if (set === undefined) return undefined;
  const { clock, random, policyState } = runtime;
  const began = clock.monotonic();
  const startedAt = clock.now();
  const counted = countedAs(resolved, request);
  const inputText = jcs(resolved.inputs);
  const { facts, text, shared, lasting } = factsBefore(runtime, {
    ...resolved,
    caller: request.caller,
    startedAt,
    hasIdempotencyKey: claim !== undefined,
    runsToday: policyState.dayCounts.of(counted, startedAt),
    inputBytes: Buffer.byteLength(inputText),
    inputNames: set.inputNames,
  });
  const { orbiset } = resolved;
  const options = { orbiset: orbiset.policies, namespace: orbiset.namespace, kept: policyState.kept, lasting };
  const decided = decide(set, facts, 'PreFlight', options);
  const wanted = decided.obligations.requireApproval ?? [];
  // One for each scope: a further approval is for a further run.
  const used = wanted.flatMap((scope) => approvals.find((approval) => approval.scope === scope) ?? []);
  const decision = withApprovals(
    decided,
    used.map(({ scope }) => scope),
  );
  return {
    decisionId: newId('dec_', startedAt, random),
    set,
    options,
    startedAt,
    facts,
    ...afterPhases([{ phase: 'PreFlight', provider: null, decision, tookMs: clock.monotonic() - began }]),
    snapshots: [{ ...snapshotOf(runtime, 'PreFlight', null, text), stored: shared }],
    counted,
    inputText,
    inputsSha256: () => inputsDigest(runtime, inputText),
    grants: decision.decision === 'allow' ? used.map(({ grantId }) => grantId) : [],
  };
}

/** A run that policies denied: no provider was called for it. */
export interface DeniedRun extends ResolvedRun {
  readonly runId: string;
  /** Without grants: an approval is for a run that starts. */
  readonly policy: RunPolicy;
}

/** Whether an approval would let the run start. */
export const asksForApproval = (policy: RunPolicy): boolean =>
  policy.decided.denials.some(({ code }) => code === 'approval-required');

/** Unused approvals of such a run. @throws LedgerError */
export function approvalsOf(
  { ledger }: Runtime,
  { counted, inputsSha256, startedAt }: RunPolicy,
): Promise<readonly Approval[]> {
  const { tenant, orbiset, caller, orbId } = counted;
  return ledger.grantsFor(tenant, { orbiset, caller, orbId, inputsSha256: inputsSha256() }, startedAt);
}

/** The same run without the approvals that it used: denied in PreFlight. */
export function unapproved(policy: RunPolicy): RunPolicy {
  const [first] = policy.phases;
  if (first === undefined) throw new RangeError('a run is decided in PreFlight');
  const decision = withApprovals(first.decision, []);
  return { ...policy, ...afterPhases([{ ...first, decision }]), snapshots: policy.snapshots.slice(0, 1), grants: [] };
}

/** Counts the decisions of these phases in the metrics. Dry runs are not counted. */
export function observeDecisions({ policyState }: Runtime, phases: readonly PhaseDecision[]): void {
  for (const { decision, tookMs } of phases) policyState.decided(decision, tookMs / 1000);
}

/** Counts a run among those of the day. @returns takes it back when the run does not start */
export const countRun = ({ policyState }: Runtime, policy: RunPolicy | undefined): (() => void) =>
  policy === undefined ? () => undefined : policyState.dayCounts.take(policy.counted, policy.startedAt);

interface RequestDecision extends PhaseDecision {
  readonly snapshot: SaltedSnapshot | undefined;
}

function decideRequest(
  runtime: Runtime,
  { set, facts, options, bound }: RunPolicy,
  resolved: ResolvedRun,
  ready: ReadyAttempt,
): RequestDecision {
  const provider = ready.provider.name;
  if (!decidesRequests(set, bound))
    return { phase: 'Request', provider, decision: undecided('Request'), tookMs: 0, snapshot: undefined };
  const began = runtime.clock.monotonic();
  const added = factsOfRequest(resolved, ready);
  const decision = usesPhase(set, 'Request')
    ? decide(set, laterFacts(facts, added), 'Request', options)
    : undecided('Request');
  const tookMs = runtime.clock.monotonic() - began;
  return {
    phase: 'Request',
    provider,
    decision,
    tookMs,
    snapshot: snapshotOf(runtime, 'Request', provider, jcs(added)),
  };
}

/** The attempt as policies bind it: redirects stay on the allowed hosts, and the answer below its limit. */
function boundAttempt(ready: ReadyAttempt, { restrictHosts, maxResponseBytes }: Obligations): ReadyAttempt {
  const guard: ReadyAttempt['guard'] =
    restrictHosts === undefined
      ? ready.guard
      : (url) => (hostAllowed(url.hostname, restrictHosts) ? ready.guard(url) : 'policy-host-not-allowed');
  return { ...ready, guard, ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }) };
}

/** The providers that policies leave to a run. */
export interface DecidedProviders {
  readonly policy: RunPolicy;
  /** Empty: the run is denied. */
  readonly eligible: readonly ReadyAttempt[];
}

/**
 * Decides about the sealed request of each provider that could be called. One that is denied, or that the allowed hosts
 * leave out, is not eligible.
 * @param ready in the order of trial, at least one
 */
export function decideProviders(
  runtime: Runtime,
  policy: RunPolicy,
  resolved: ResolvedRun,
  ready: readonly ReadyAttempt[],
): DecidedProviders {
  const before = policy.bound;
  if (before.maxResponseBytes === undefined && !decidesRequests(policy.set, before)) return { policy, eligible: ready };
  const eligible: ReadyAttempt[] = [];
  const decided = ready.map((one) => {
    const request = decideRequest(runtime, policy, resolved, one);
    const obligations = joinObligations(before, request.decision.obligations);
    const { hostname } = new URL(one.request.url);
    const decision = keptToHosts(request.decision, obligations.restrictHosts, hostname);
    if (decision.decision === 'allow') eligible.push(boundAttempt(one, obligations));
    return { ...request, decision };
  });
  return {
    policy: {
      ...policy,
      ...afterPhases([...policy.phases, ...decided.map(({ snapshot: _snapshot, ...phase }) => phase)]),
      snapshots: [...policy.snapshots, ...decided.flatMap(({ snapshot }) => snapshot ?? [])],
    },
    eligible,
  };
}
