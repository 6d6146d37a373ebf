import { effectiveProvider, providersInOrder } from '../../../core/orb/effective-provider.ts';
import { hostAllowed } from '../../../core/egress/host-binding.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import type { CompiledProvider } from '../../../core/orb/compiled-orb.ts';
import { eligibility, selectProviders } from '../../../core/run/eligibility.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';
import { invalidInputs } from '../../run/parse.ts';
import type { ResolvedRun } from '../../run/plan.ts';
import type { Runtime } from '../../runtime/runtime.ts';

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

function providerReport(runtime: Runtime, provider: CompiledProvider, resolved: ResolvedRun): JsonObject | undefined {
  const sealed = provider.request.seal(resolved.inputs);
  if (!sealed.ok) return undefined;
  const { cleartextOrigins } = runtime.settings;
  const result = eligibility(provider, {
    inputs: resolved.inputs,
    vault: resolved.orbiset.vault,
    cleartextOrigins,
  });
  const host = URL.canParse(sealed.request.url)
    ? new URL(sealed.request.url).hostname
    : (provider.request.literalHost ?? '');
  return {
    provider: provider.name,
    eligible: result.kind === 'eligible',
    ...(result.kind === 'ineligible' ? { reason: result.code } : {}),
    request: { ...sealed.request, headers: sealed.request.headers.map(([name, value]) => ({ name, value })) },
    secrets: secretReport(resolved, provider, host, result.kind === 'eligible'),
  };
}

/**
 * The request to each provider, with placeholders instead of secrets (design.md §3, `?dry_run=true`).
 * Nothing is sent, no run is started, no secret is shown.
 */
export function dryRun(runtime: Runtime, request: RouteRequest, resolved: ResolvedRun): Reply {
  const { orb, orbiset, inputs } = resolved;
  const now = runtime.clock.now();
  const providers = providersInOrder(orb, { now });
  const { cleartextOrigins } = runtime.settings;
  const context = { inputs, vault: orbiset.vault, cleartextOrigins };
  const selection = selectProviders(providers, context);
  if (selection.kind === 'input') return invalidInputs(request, [selection.problem]).reply;
  const body: JsonObject = {
    dry_run: true,
    orb_id: orb.orbId,
    manifest_digest: orb.digest,
    orbiset: `${orbiset.namespace}.${orbiset.name}`,
    effective_provider: effectiveProvider(orb, { now }) ?? null,
    providers: providers.flatMap((provider) => providerReport(runtime, provider, resolved) ?? []),
  };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
