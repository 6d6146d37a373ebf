import { effectiveProvider, providersInOrder } from '../../core/failover/effective-provider.ts';
import { hostAllowed } from '../../core/egress/host-binding.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { CompiledProvider } from '../../core/orb/compiled-orb.ts';
import { eligibility, selectProviders } from '../../core/run/eligibility.ts';
import type { Reply, RouteRequest } from '../http/route.ts';
import { invalidInputs } from './request.ts';
import type { Meaning } from './plan-run.ts';
import type { Runtime } from './runtime.ts';

/** @param eligible every entry may go there: a host that a secret makes is known only when it is rendered */
function secretReport(
  meaning: Meaning,
  provider: CompiledProvider,
  host: string,
  eligible: boolean,
): readonly JsonObject[] {
  return provider.request.secretsFor(meaning.inputs).map((name) => {
    const entry = meaning.orbiset.vault.get(name);
    return {
      entry: name,
      present: entry !== undefined,
      host,
      host_allowed: entry !== undefined && (eligible || hostAllowed(host, entry.allowedHosts)),
    };
  });
}

function providerReport(runtime: Runtime, provider: CompiledProvider, meaning: Meaning): JsonObject | undefined {
  const sealed = provider.request.seal(meaning.inputs);
  if (!sealed.ok) return undefined;
  const { plainOrigins } = runtime.settings;
  const result = eligibility(provider, { inputs: meaning.inputs, vault: meaning.orbiset.vault, plainOrigins });
  const host = URL.canParse(sealed.request.url)
    ? new URL(sealed.request.url).hostname
    : (provider.request.literalHost ?? '');
  return {
    provider: provider.name,
    eligible: result.kind === 'eligible',
    ...(result.kind === 'ineligible' ? { reason: result.code } : {}),
    request: { ...sealed.request, headers: sealed.request.headers.map(([name, value]) => ({ name, value })) },
    secrets: secretReport(meaning, provider, host, result.kind === 'eligible'),
  };
}

/**
 * What would be sent to each provider, with placeholders instead of secrets (design.md §3, `?dry_run=true`).
 * Nothing is sent, no run is started, no secret is shown.
 */
export function dryRun(runtime: Runtime, request: RouteRequest, meaning: Meaning): Reply {
  const { orb, orbiset, inputs } = meaning;
  const now = runtime.clock.now();
  const providers = providersInOrder(orb, { now });
  const context = { inputs, vault: orbiset.vault, plainOrigins: runtime.settings.plainOrigins };
  const selection = selectProviders(providers, context);
  if (selection.kind === 'input') return invalidInputs(request, [selection.problem]).reply;
  const body: JsonObject = {
    dry_run: true,
    orb_id: orb.orbId,
    manifest_digest: orb.digest,
    orbiset: `${orbiset.namespace}.${orbiset.name}`,
    effective_provider: effectiveProvider(orb, { now }) ?? null,
    providers: providers.flatMap((provider) => providerReport(runtime, provider, meaning) ?? []),
  };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
