import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Dialer, DialLimits, DialResult, OutboundRequest } from '../../adapters/egress/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { attemptOutcome } from '../../core/attempts/classify.ts';
import type { ResolvedSwapConfig } from '../../core/failover/types.ts';
import type { CompiledOrb, CompiledProbe, CompiledProvider } from '../../core/orb/compiled-orb.ts';
import type { VaultEntry } from '../../core/orb/orbiset.ts';
import type { AttemptOutcome } from '../../core/receipt/record.ts';
import { eligibility, type ReadyAttempt } from '../../core/run/eligibility.ts';
import { judgeProbe } from '../../core/run/judge-probe.ts';
import { headerMap } from '../run/header-map.ts';
import type { KillSwitches } from '../runtime/kill-switches.ts';
import type { RuntimeSettings } from '../runtime/runtime.ts';

/** The parts that sending a probe needs. */
export interface ProbeTools {
  readonly catalog: Pick<MemoryCatalog, 'orbiset' | 'onlyOrbiset'>;
  readonly dialer: Pick<Dialer, 'dial'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly switches: Pick<KillSwitches, 'refusal'>;
  readonly settings: Pick<RuntimeSettings, 'cleartextOrigins' | 'userAgent' | 'maxResponseBytes'>;
}

/** An Orb whose providers are probed. */
export interface ProbedOrb {
  readonly orb: CompiledOrb;
  readonly probing: ResolvedSwapConfig['probe'];
}

/** A probe that may be sent. It holds secret values, so it lives only until it is sent. */
export interface ReadyProbe {
  readonly ready: ReadyAttempt;
  readonly probe: CompiledProbe;
  readonly timeoutMs: number;
}

export type PreparedProbe =
  | { readonly kind: 'ready'; readonly probe: ReadyProbe }
  /** The provider is not eligible, or its probe can't be rendered. `why` is a code for the log. */
  | { readonly kind: 'skip'; readonly why: string }
  /** A kill switch is on. */
  | { readonly kind: 'stopped' };

/** How a probe ended. */
export interface ProbeResult {
  readonly outcome: AttemptOutcome;
  readonly ms: number;
}

type Vault = ReadonlyMap<string, VaultEntry>;
const NO_VAULT: Vault = new Map();

/**
 * The secrets of `probe.orbiset`, else of the only Orbiset of the Orb's namespace. Without either, a probe that needs
 * no secret is still sent.
 * @returns undefined: the Orbiset is suspended or its policies can't be read, so nothing is sent in its name
 */
function vaultOf({ orb, probing }: ProbedOrb, { catalog }: ProbeTools): Vault | undefined {
  const { namespace } = orb;
  const orbiset =
    probing.orbiset === null ? catalog.onlyOrbiset(namespace) : catalog.orbiset(namespace, probing.orbiset);
  const isRefused = orbiset?.suspended === true || orbiset?.hasUnreadablePolicies === true;
  return isRefused ? undefined : (orbiset?.vault ?? NO_VAULT);
}

/** Decides everything before a byte is sent, by the same rules as for a run (failover.md §12.2). */
export function prepareProbe(probed: ProbedOrb, provider: CompiledProvider, tools: ProbeTools): PreparedProbe {
  const { orb, probing } = probed;
  const { probe } = provider;
  if (tools.switches.refusal(orb.namespace, orb.orbId, orb.digest) !== undefined) return { kind: 'stopped' };
  if (probe === undefined) return { kind: 'skip', why: 'manifest-probe-unsafe' };
  const vault = vaultOf(probed, tools);
  if (vault === undefined) return { kind: 'stopped' };
  const { cleartextOrigins } = tools.settings;
  const asked = { ...provider, request: probe.request };
  const decided = eligibility(asked, { inputs: probing.inputs, vault, cleartextOrigins });
  switch (decided.kind) {
    case 'eligible':
      return { kind: 'ready', probe: { ready: decided.ready, probe, timeoutMs: probing.timeoutMs } };
    case 'ineligible':
      return { kind: 'skip', why: decided.code };
    case 'input':
      return { kind: 'skip', why: decided.problem.code };
    default:
      return decided satisfies never;
  }
}

function outbound({ ready: { request } }: ReadyProbe, userAgent: string): OutboundRequest {
  const isNamed = request.headers.some(([name]) => name.toLowerCase() === 'user-agent');
  const headers = isNamed ? request.headers : [...request.headers, ['user-agent', userAgent] as const];
  return { method: request.method, url: request.url, headers, body: request.body };
}

function limitsOf({ ready: { provider } }: ReadyProbe, platform: number): DialLimits {
  const { connectTimeoutMs, bodyIdleMs, followRedirects, idempotent, maxResponseBytes } = provider;
  return {
    connectTimeoutMs,
    bodyIdleMs,
    followRedirects,
    idempotent,
    maxResponseBytes: Math.min(maxResponseBytes ?? platform, platform),
  };
}

function outcomeOf({ probe }: ReadyProbe, result: DialResult): AttemptOutcome {
  if (result.kind === 'failed') return attemptOutcome({ kind: 'failed', cause: result.failure.kind });
  return judgeProbe(probe, { status: result.status, headers: headerMap(result.headers), body: result.body });
}

/**
 * Sends the probe and reads the answer, which is not kept. A refused credential counts as a failure: the Orbiset is in
 * the Orb's own namespace (failover.md §2). Never rejects.
 */
export async function sendProbe(ready: ReadyProbe, tools: ProbeTools, signal: AbortSignal): Promise<ProbeResult> {
  const { dialer, clock, settings } = tools;
  const controller = new AbortController();
  const withHolder = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', withHolder, { once: true });
  if (signal.aborted) withHolder();
  const over = new AbortController();
  const deadline = (): void => controller.abort(new DOMException('probe deadline', 'TimeoutError'));
  void clock.sleep(ready.timeoutMs, over.signal, { ref: false }).then(deadline, () => undefined);
  const limits = limitsOf(ready, settings.maxResponseBytes);
  const result = await dialer
    .dial(outbound(ready, settings.userAgent), limits, ready.ready.guard, controller.signal)
    .finally(() => {
      over.abort();
      signal.removeEventListener('abort', withHolder);
    });
  return { outcome: outcomeOf(ready, result), ms: result.ms };
}
