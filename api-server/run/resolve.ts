import type { OrbEntry } from '../../adapters/catalog/port.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { providersInOrder } from '../../core/orb/effective-provider.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { resolveOrb } from '../../core/orb/resolve-orb.ts';
import { newId } from '../../core/receipt/ids.ts';
import { selectProviders, type Selection } from '../../core/run/eligibility.ts';
import { problem } from '../http/problem.ts';
import type { ProblemCode } from '../http/problems.ts';
import { faultOf, orbNotFound } from '../orbs/orb-not-found.ts';
import { idsInOrbiset } from '../orbs/visible-orbs.ts';
import { refuse, type Refused, type Reply, type RouteRequest, type Step } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { mayExecute, unauthenticatedReply, unlessAnonymous } from './authorise.ts';
import { invalidInputs, type ParsedRequest } from './parse.ts';
import type { ResolvedRun, RunPlan } from './plan.ts';
import { decidePreFlight, decideProviders, type Asking, type DeniedRun, type RunPolicy } from './run-policy.ts';

/** The answer for an Orb that never was valid, with its faults. A shared Orb's faults are shown only to its owner. */
export function notReady(request: RouteRequest, entry: OrbEntry, tenant: string): Reply {
  const detail = faultOf(entry, tenant);
  return problem(request, 'orb-not-ready', detail === undefined ? {} : { detail });
}

const digestOf = ({ compiled }: OrbEntry): string | undefined => compiled?.digest;

function unknownOrb(runtime: Runtime, request: RouteRequest, orbiset: CompiledOrbiset, orbId: OrbId): Reply {
  const { catalog } = runtime;
  const known = idsInOrbiset(runtime, request, orbiset);
  return orbNotFound(request, orbId, { catalog, namespace: orbiset.namespace, known, at: { pointer: '/orb_id' } });
}

/** The Orb of a request (design.md §2). The key was checked before, by `refuseKey`. */
export function findOrb(
  runtime: Runtime,
  request: RouteRequest,
  orbiset: CompiledOrbiset,
  orbId: OrbId,
): Step<CompiledOrb> {
  const found = resolveOrb(runtime.catalog, orbiset, orbId, {
    platformNamespace: runtime.settings.platformNamespace,
    published: runtime.published.version,
    digestOf,
  });
  switch (found.kind) {
    case 'found': {
      const { compiled } = found.entry;
      if (compiled === undefined) return refuse(notReady(request, found.entry, orbiset.namespace));
      return { ok: true, value: compiled };
    }
    case 'differs':
      return refuse(problem(request, 'orb-differs-from-publication'));
    case 'not-allowed':
      return refuse(problem(request, 'orb-not-allowed', { detail: `Add ${orbId} to spec.orbs of the Orbiset.` }));
    case 'unknown':
      return refuse(unknownOrb(runtime, request, orbiset, orbId));
    default:
      return found satisfies never;
  }
}

/** The code that refuses every run of the Orbiset or of the Orb. */
export function refusalOf(
  runtime: Pick<Runtime, 'switches'>,
  orbiset: CompiledOrbiset,
  orb: CompiledOrb,
): ProblemCode | undefined {
  if (orbiset.suspended) return 'orbiset-suspended';
  if (orbiset.hasUnreadablePolicies) return 'policy-unavailable';
  return runtime.switches.refusal(orb.namespace, orb.orbId, orb.digest);
}

/**
 * Finds what a request names: Orbiset, Orb, and inputs with the declared names and types. Without a key only an open
 * Orb is visible. Its faults are then reported like those of a request with a key.
 */
export function resolveRun(runtime: Runtime, request: RouteRequest, parsed: ParsedRequest): Step<ResolvedRun> {
  // Again: since it was parsed, the Orbiset may have been suspended, and the values of its vault overwritten.
  const { namespace, name } = parsed.orbiset;
  const orbiset = runtime.catalog.orbiset(namespace, name);
  if (orbiset === undefined) return refuse(unlessAnonymous(request, problem(request, 'orbiset-not-found')));
  const found = findOrb(runtime, request, orbiset, parsed.orbId);
  if (!found.ok) return refuse(unlessAnonymous(request, found.reply));
  const orb = found.value;
  if (!mayExecute(runtime, request, orb, parsed.dryRun)) return refuse(unauthenticatedReply(request));
  const refused = refusalOf(runtime, orbiset, orb);
  if (refused !== undefined) return refuse(problem(request, refused));
  const inputs = orb.checkInputs(parsed.inputs);
  return inputs.ok
    ? { ok: true, value: { orbiset, orb, inputs: inputs.value } }
    : invalidInputs(request, inputs.findings);
}

function notEligible(
  runtime: Runtime,
  request: RouteRequest,
  orbiset: CompiledOrbiset,
  { code, entry, host }: Extract<Selection, { kind: 'ineligible' }>,
): Refused {
  const next = {
    'secret-missing': `The vault entry ${entry} is missing. Add it: ${runtime.settings.secretHint(orbiset, entry, host)}`,
    'secret-not-header-safe': `The vault entry ${entry} has a control character, or with :path it is no path of letters, digits and . _ ~ - between single slashes. It can't be sent in this request. Set it again.`,
    'secret-host-not-allowed': `The vault entry ${entry} may not be sent to ${host}. Allow it: ${runtime.settings.secretHint(orbiset, entry, host)}`,
  } as const;
  return refuse(problem(request, code, { detail: next[code], extensions: { entry, host } }));
}

/** The shortest of the limits of installation, Orbiset, manifest and policies. */
function timeLimit(
  { settings }: Runtime,
  { limits }: CompiledOrbiset,
  manifestMs: number,
  policy?: RunPolicy,
): Pick<RunPlan, 'timeoutMs' | 'shortenedBy'> {
  const policyMs = policy?.bound.timeoutMs ?? Infinity;
  const orbisetMs = limits.timeoutMs ?? Infinity;
  const longestMs = Math.min(settings.maxTimeoutMs, manifestMs);
  const tenantMs = Math.min(orbisetMs, policyMs);
  if (tenantMs >= longestMs) return { timeoutMs: longestMs, shortenedBy: undefined };
  return { timeoutMs: tenantMs, shortenedBy: policyMs < orbisetMs ? 'policy' : 'orbiset' };
}

/** The plan of a run, the answer that ends the request, or the denial that is recorded. */
export type Planned = Step<RunPlan> | { readonly ok: false; readonly denied: DeniedRun };

/**
 * The plan of a run: a new id, and the providers that it may call, each with its request ready to send. Policies decide
 * before a secret is read, then about each request. Nothing is sent here, and no run is started.
 */
export function planRun(
  runtime: Runtime,
  request: RouteRequest,
  resolved: ResolvedRun,
  asked: Asking & Pick<ParsedRequest, 'debug'>,
): Planned {
  const { orbiset, orb, inputs } = resolved;
  const { clock, random, sha256, settings } = runtime;
  const now = clock.now();
  const runId = newId('run_', now, random); // decides whether the run belongs to the share of a ramp
  const before = decidePreFlight(runtime, request, resolved, asked);
  if (before !== undefined && before.decided.decision === 'deny')
    return { ok: false, denied: { ...resolved, runId, policy: before } };
  const providers = providersInOrder(orb, { now, runId, sha256 });
  const { cleartextOrigins } = settings;
  const selection = selectProviders(providers, { inputs, vault: orbiset.vault, cleartextOrigins });
  if (selection.kind === 'input') return invalidInputs(request, [selection.problem]);
  if (selection.kind === 'ineligible') return notEligible(runtime, request, orbiset, selection);
  const { policy, eligible } = before
    ? decideProviders(runtime, before, resolved, selection.eligible)
    : { policy: undefined, eligible: selection.eligible };
  const [first, ...others] = eligible;
  if (first === undefined) {
    if (policy === undefined) throw new RangeError('a selection has a provider');
    return { ok: false, denied: { ...resolved, runId, policy: { ...policy, grants: [] } } };
  }
  return {
    ok: true,
    value: {
      runId,
      requestId: request.requestId,
      traceparent: request.traceparent,
      orbiset,
      orb,
      inputs,
      eligible: [first, ...others],
      caller: request.caller,
      ...timeLimit(runtime, orbiset, first.provider.timeoutMs, policy),
      claim: asked.claim,
      policy,
      debug: settings.standalone && request.caller !== undefined && asked.debug,
    },
  };
}
