import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { listsOrb } from '../../core/orb/resolve-orb.ts';
import { problem } from '../http/problem.ts';
import type { Reply, RouteRequest } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The answer to a request without a key, whatever else is wrong with it. */
export const unauthenticatedReply = (request: RouteRequest): Reply => problem(request, 'unauthenticated');

/** A request without a key only learns that it needs a key. */
export const unlessAnonymous = (request: RouteRequest, reply: Reply): Reply =>
  request.caller === undefined ? unauthenticatedReply(request) : reply;

/** Keys may be limited to some Orbs. This is checked before the answer shows anything of an Orb or of its runs. */
export function refuseKey(request: RouteRequest, orbId: OrbId): Reply | undefined {
  const limited = request.caller?.orbs;
  if (limited === undefined || listsOrb(limited, orbId)) return undefined;
  return problem(request, 'forbidden', { detail: 'The key is limited to other Orbs.' });
}

/**
 * Whether this caller may execute the Orb: anyone with a key, and without a key only an open Orb.
 * @param dryRun it shows names of the vault, so it always needs a key
 */
export const mayExecute = (runtime: Runtime, request: RouteRequest, orb: CompiledOrb, dryRun: boolean): boolean =>
  request.caller !== undefined || (runtime.settings.standalone && orb.anonymous && !dryRun);
