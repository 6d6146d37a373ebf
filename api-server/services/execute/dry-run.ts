import { effectiveProvider, providersInOrder } from '../../../core/orb/effective-provider.ts';
import { hostAllowed } from '../../../core/egress/host-binding.ts';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import type { CompiledProvider } from '../../../core/orb/compiled-orb.ts';
import { listObligations } from '../../../core/policy/decision/obligations.ts';
import { eligibility, selectProviders, type Eligibility } from '../../../core/run/eligibility.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';
import { invalidInputs, type ParsedRequest } from '../../run/parse.ts';
import type { ResolvedRun } from '../../run/plan.ts';
import { denialJson, rulesJson } from '../../run/policy-json.ts';
import { decidePreFlight, decideProviders, type RunPolicy } from '../../run/run-policy.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { timeText } from '../providers/orb-state.ts';
import { lastFailureView } from '../providers/replica-status.ts';

/** @param eligible all entries may be sent there: a host from a secret is known only after rendering */
function secretReport(
  resolved: ResolvedRun,
  provider: CompiledProvider,
  host: string,
  eligible: boolean,
): readonly JsonObject[] {
  return provider.request.secretsFor(resolved.inputs).map((name) => {
    const entry = resolved.orbiset.vault.get(name);
    return {
      entry: name,
      present: entry !== undefined,
      host,
      host_allowed: entry !== undefined && (eligible || hostAllowed(host, entry.allowedHosts)),
    };
  });
}

interface Candidate {
  readonly provider: CompiledProvider;
  readonly result: Eligibility;
}

/** @param policy what the policies say about its request; undefined: nothing, or a secret is missing */
function providerReport(
  { provider, result }: Candidate,
  resolved: ResolvedRun,
  policy: 'allow' | 'deny' | undefined,
  replica: JsonObject,
): JsonObject | undefined {
  const sealed = provider.request.seal(resolved.inputs);
  if (!sealed.ok) return undefined;
  const host = URL.canParse(sealed.request.url)
    ? new URL(sealed.request.url).hostname
    : (provider.request.literalHost ?? '');
  return {
    provider: provider.name,
    eligible: result.kind === 'eligible' && policy !== 'deny',
    ...(policy === undefined ? {} : { policy }),
    ...(result.kind === 'ineligible' ? { reason: result.code } : {}),
    request: { ...sealed.request, headers: sealed.request.headers.map(([name, value]) => ({ name, value })) },
    secrets: secretReport(resolved, provider, host, result.kind === 'eligible'),
    ...replica,
  };
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : timeText(at));

/**
 * The breaker of each provider in this process. The last failure of an Orb of another namespace may come from another
 * tenant's run: it is not shown.
 */
function replicaReport({ failover }: Runtime, { orb, orbiset }: ResolvedRun): (provider: string) => JsonObject {
  const views = failover.providers(orb.namespace, orb.orbId);
  return (provider) => {
    const view = views[provider];
    if (view === undefined) return { breaker: 'closed' };
    const { breaker, since, until, pausedUntil } = view;
    return {
      breaker,
      ...(breaker === 'closed' ? {} : { breaker_since: timeOrNull(since), breaker_until: timeOrNull(until) }),
      ...(pausedUntil === null ? {} : { paused_until: timeText(pausedUntil) }),
      ...(orb.namespace !== orbiset.namespace || view.failures === 0 ? {} : { last_failure: lastFailureView(view) }),
    };
  };
}

/** What policies would decide. Nothing is recorded, and no approval is looked up. */
function decided(
  runtime: Runtime,
  request: RouteRequest,
  resolved: ResolvedRun,
  [parsed, candidates]: readonly [ParsedRequest, readonly Candidate[]],
): RunPolicy | undefined {
  const policy = decidePreFlight(runtime, request, resolved, { claim: parsed.claim, approvals: [] });
  if (policy === undefined || policy.decided.decision === 'deny') return policy;
  const ready = candidates.flatMap(({ result }) => (result.kind === 'eligible' ? [result.ready] : []));
  return decideProviders(runtime, policy, resolved, ready).policy;
}

function policyReport(policy: RunPolicy): JsonValue {
  const { decision, denials, shadow } = policy.decided;
  return {
    decision,
    denials: denials.map(denialJson),
    rules: rulesJson(policy.phases),
    obligations: listObligations(policy.bound),
    shadow,
  };
}

/** Of one provider. Without a decision of its own the run's decision is about it. */
function providerPolicy(policy: RunPolicy | undefined, { provider, result }: Candidate): 'allow' | 'deny' | undefined {
  if (policy === undefined || result.kind !== 'eligible') return undefined;
  const own = policy.phases.find((one) => one.phase === 'Request' && one.provider === provider.name);
  return own?.decision.decision ?? policy.decided.decision;
}

/**
 * The request to each provider, with placeholders instead of secrets (design.md §3, `?dry_run=true`).
 * Nothing is sent, no run is started, no secret is shown, also none that the caller sent as an input.
 */
export function dryRun(runtime: Runtime, request: RouteRequest, resolved: ResolvedRun, parsed: ParsedRequest): Reply {
  const { orb, orbiset, inputs } = resolved;
  const now = runtime.clock.now();
  const providers = providersInOrder(orb, { now });
  const { cleartextOrigins } = runtime.settings;
  const context = { inputs, vault: orbiset.vault, cleartextOrigins };
  const selection = selectProviders(providers, context);
  if (selection.kind === 'input') return invalidInputs(request, [selection.problem]).reply;
  const candidates = providers.map((provider) => ({ provider, result: eligibility(provider, context) }));
  const policy = decided(runtime, request, resolved, [parsed, candidates]);
  const replica = replicaReport(runtime, resolved);
  const body: JsonObject = {
    dry_run: true,
    orb_id: orb.orbId,
    manifest_digest: orb.digest,
    orbiset: `${orbiset.namespace}.${orbiset.name}`,
    effective_provider: effectiveProvider(orb, { now }) ?? null,
    replica: runtime.settings.owner,
    ...(policy === undefined ? {} : { policy: policyReport(policy) }),
    providers: candidates.flatMap(
      (one) => providerReport(one, resolved, providerPolicy(policy, one), replica(one.provider.name)) ?? [],
    ),
  };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(orbiset.redactor.json(body).value),
  };
}
