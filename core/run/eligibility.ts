import { hostAllowed } from '../egress/host-binding.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { CompiledProvider } from '../orb/compiled-orb.ts';
import type { VaultEntry } from '../orb/orbiset.ts';
import type { CompiledRequest, RenderProblem } from '../template/compiled-request.ts';
import type { RenderedRequest } from '../template/rendered-request.ts';

/** A provider's needs from the calling Orbiset (failover.md §12.2, security.md S1). */
export interface EligibilityContext {
  readonly inputs: JsonObject;
  readonly vault: ReadonlyMap<string, VaultEntry>;
  /** Origins that may get secrets without TLS: loopback ones of `--egress-allow` (security.md §3.1). */
  readonly cleartextOrigins: ReadonlySet<string>;
}

type IneligibleCode = 'secret-missing' | 'secret-not-header-safe' | 'secret-host-not-allowed';

export type Eligibility =
  | { readonly kind: 'eligible'; readonly ready: ReadyAttempt }
  | { readonly kind: 'ineligible'; readonly code: IneligibleCode; readonly entry: string; readonly host: string }
  /** No provider can be called with these inputs. The caller is at fault: 422. */
  | { readonly kind: 'input'; readonly problem: Extract<RenderProblem, { kind: 'input' }> };

/**
 * A request that is ready to send. It holds secret values: it lives only until it is written to the socket and is never
 * logged.
 */
export interface ReadyAttempt {
  readonly provider: CompiledProvider;
  readonly request: RenderedRequest;
  /** Origin of its URL. */
  readonly origin: string;
  readonly usesSecret: boolean;
  /**
   * The vault's values in the request, by name: only those of this provider. The entries' own values may be
   * overwritten before the run ends.
   */
  readonly secrets: ReadonlyMap<string, string>;
  /** Null when every secret of the request may go to `url`, and policies allow its host. */
  readonly guard: (url: URL) => 'secret-host-not-allowed' | 'policy-host-not-allowed' | null;
  /** Largest answer that policies allow, bytes; absent: they say nothing. */
  readonly maxResponseBytes?: number;
}

const decoder = new TextDecoder();

const ALLOW_ANY_URL = (): null => null;

function guardOf(entries: readonly VaultEntry[], cleartextOrigins: ReadonlySet<string>): ReadyAttempt['guard'] {
  if (entries.length === 0) return ALLOW_ANY_URL;
  return (url) => {
    const secure = url.protocol === 'https:' || cleartextOrigins.has(url.origin);
    return secure && entries.every((entry) => hostAllowed(url.hostname, entry.allowedHosts))
      ? null
      : 'secret-host-not-allowed';
  };
}

/** Host of a URL with placeholders, for the message. A label from a secret becomes `*`, as in `allowedHosts`. */
function hostOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host.replace(/^.*\}\}[^.]*\./, '*.');
}

/** The first entry that may not be sent to the request's host, for the message. */
function refusedEntry(entries: readonly VaultEntry[], host: string): string {
  const refused = entries.find((entry) => !hostAllowed(host, entry.allowedHosts)) ?? entries[0];
  return refused?.name ?? '';
}

/** The host for the message about a vault entry. */
const shownHost = ({ literalHost, sealedUrl }: CompiledRequest): string => literalHost ?? hostOf(sealedUrl);

const refusedRender = (problem: RenderProblem, request: CompiledRequest): Eligibility =>
  problem.kind === 'input'
    ? { kind: 'input', problem }
    : { kind: 'ineligible', code: problem.code, entry: problem.entry, host: shownHost(request) };

/** Whether one provider may be called for this Orbiset, with the request ready to send. Pure. */
export function eligibility(provider: CompiledProvider, context: EligibilityContext): Eligibility {
  const { inputs, vault, cleartextOrigins } = context;
  const entries: VaultEntry[] = [];
  const secrets = new Map<string, string>();
  for (const name of provider.request.secretsFor(inputs)) {
    const entry = vault.get(name);
    if (entry === undefined)
      return { kind: 'ineligible', code: 'secret-missing', entry: name, host: shownHost(provider.request) };
    entries.push(entry);
    secrets.set(name, decoder.decode(entry.value));
  }
  const rendered = provider.request.render({ inputs, secret: (name) => secrets.get(name) });
  if (!rendered.ok) return refusedRender(rendered.problem, provider.request);
  const { request } = rendered;
  const guard = guardOf(entries, cleartextOrigins);
  const url = new URL(request.url);
  if (guard(url) !== null) {
    const host = url.hostname;
    return { kind: 'ineligible', code: 'secret-host-not-allowed', entry: refusedEntry(entries, host), host };
  }
  const usesSecret = entries.length > 0;
  return { kind: 'eligible', ready: { provider, request, origin: url.origin, usesSecret, secrets, guard } };
}

/** Eligible providers in the order of attempts. */
export type EligibleProviders = readonly [ReadyAttempt, ...ReadyAttempt[]];

export type Selection =
  | { readonly kind: 'ready'; readonly eligible: EligibleProviders }
  | Exclude<Eligibility, { kind: 'eligible' }>;

/**
 * Checks each provider, and renders its request (failover.md §12.2).
 * @param providers at least one, in the order of the attempts
 * @returns the eligible providers in this order; without one, the reason that refused the first provider
 */
export function selectProviders(providers: readonly CompiledProvider[], context: EligibilityContext): Selection {
  const eligible: ReadyAttempt[] = [];
  let reason: Exclude<Eligibility, { kind: 'eligible' }> | undefined;
  for (const provider of providers) {
    const result = eligibility(provider, context);
    if (result.kind === 'eligible') eligible.push(result.ready);
    else reason ??= result;
  }
  const [first, ...others] = eligible;
  if (first !== undefined) return { kind: 'ready', eligible: [first, ...others] };
  if (reason === undefined) throw new RangeError('an Orb has at least one provider');
  return reason;
}
