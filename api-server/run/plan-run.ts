import type { OrbEntry } from '../../adapters/catalog/port.ts';
import { providersInOrder } from '../../core/orb/effective-provider.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { listsOrb, resolveOrb } from '../../core/orb/resolve-orb.ts';
import { selectProviders, type EligibleProviders, type Selection } from '../../core/run/eligibility.ts';
import { problem } from '../http/problem.ts';
import type { Reply, RouteRequest } from '../http/route.ts';
import { invalidInputs, type ExecuteBody } from './request.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The objects and values that a request refers to. */
export interface ResolvedRun {
  readonly orbiset: CompiledOrbiset;
  readonly orb: CompiledOrb;
  readonly inputs: JsonObject;
}

/** Either the input of the next step, or the answer that ends the request. */
export type Step<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reply: Reply };

const stop = (reply: Reply): { readonly ok: false; readonly reply: Reply } => ({ ok: false, reply });

/** The answer to a request without a key, whatever else is wrong with it. */
export const unauthenticatedReply = (request: RouteRequest): Reply => problem(request, 'unauthenticated', {});

/** A request without a key only learns that it needs a key. */
export const unlessAnonymous = (request: RouteRequest, reply: Reply): Reply =>
  request.caller === undefined ? unauthenticatedReply(request) : reply;

function findEntry(runtime: Runtime, request: RouteRequest, orbiset: CompiledOrbiset, orbId: OrbId): Step<OrbEntry> {
  const found = resolveOrb(runtime.catalog, orbiset, orbId, runtime.settings.platformNamespace);
  switch (found.kind) {
    case 'found':
      return { ok: true, value: found.entry };
    case 'not-allowed':
      return stop(problem(request, 'orb-not-allowed', { detail: `Add ${orbId} to spec.orbs of the Orbiset.` }));
    case 'unknown':
      return stop(problem(request, 'orb-not-found', {}));
    default:
      return found satisfies never;
  }
}

/** Keys may be limited to some Orbs. This is checked before the answer shows anything of an Orb or of its runs. */
export function refuseKey(request: RouteRequest, orbId: OrbId): Reply | undefined {
  const limited = request.caller?.orbs;
  if (limited === undefined || listsOrb(limited, orbId)) return undefined;
  return problem(request, 'forbidden', { detail: 'The key is limited to other Orbs.' });
}

/** The answer for an Orb that never was valid, with its faults. A shared Orb's faults are shown only to its owner. */
export function notReady(request: RouteRequest, { namespace, fault = '' }: OrbEntry, tenant: string): Reply {
  return problem(request, 'orb-not-ready', fault === '' || namespace !== tenant ? {} : { detail: fault });
}

/** The Orb of a request (design.md §2). The key was checked before, by `refuseKey`. */
export function findOrb(
  runtime: Runtime,
  request: RouteRequest,
  orbiset: CompiledOrbiset,
  orbId: OrbId,
): Step<CompiledOrb> {
  const entry = findEntry(runtime, request, orbiset, orbId);
  if (!entry.ok) return entry;
  if (entry.value.compiled === undefined) return stop(notReady(request, entry.value, orbiset.namespace));
  return { ok: true, value: entry.value.compiled };
}

/** Inputs with the declared names and types, or 422 with a pointer for each fault. */
export function checkInputs(request: RouteRequest, orb: CompiledOrb, body: ExecuteBody): Step<JsonObject> {
  const checked = orb.checkInputs(body.inputs);
  return checked.ok ? { ok: true, value: checked.value } : invalidInputs(request, checked.findings);
}

function notEligible(
  runtime: Runtime,
  request: RouteRequest,
  orbiset: CompiledOrbiset,
  selection: Extract<Selection, { kind: 'ineligible' }>,
): Reply {
  const { code, entry, host } = selection;
  const next = {
    'secret-missing': `The vault entry ${entry} is missing. Add it: ${runtime.settings.secretHint(orbiset, entry, host)}`,
    'secret-not-header-safe': `The vault entry ${entry} has a control character and can't be sent in this request. Set it again.`,
    'secret-host-not-allowed': `The vault entry ${entry} may not be sent to ${host}. Allow it: ${runtime.settings.secretHint(orbiset, entry, host)}`,
  } as const;
  return problem(request, code, { detail: next[code], extensions: { entry, host } });
}

/**
 * The providers that this run may call, in order, each with its request ready to send. Nothing is sent here, and no run
 * is started.
 * @param runId decides whether the run belongs to the share of a ramp
 */
export function chooseProviders(
  runtime: Runtime,
  request: RouteRequest,
  { orbiset, orb, inputs }: ResolvedRun,
  runId: string,
): Step<EligibleProviders> {
  const { clock, sha256, settings } = runtime;
  const providers = providersInOrder(orb, { now: clock.now(), runId, sha256 });
  const { cleartextOrigins } = settings;
  const selection = selectProviders(providers, { inputs, vault: orbiset.vault, cleartextOrigins });
  switch (selection.kind) {
    case 'ready':
      return { ok: true, value: selection.eligible };
    case 'input':
      return invalidInputs(request, [selection.problem]);
    case 'ineligible':
      return stop(notEligible(runtime, request, orbiset, selection));
    default:
      return selection satisfies never;
  }
}
