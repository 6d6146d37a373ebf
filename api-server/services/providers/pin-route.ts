import type { Clock } from '../../../adapters/time/clock.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { pinStoreUnavailable } from './pin-store-unavailable.ts';
import { removePinOperation } from './operations.ts';
import { activeOf, findOrb, ownerWarnings, pinOrNull, type FindingCatalog } from './orb-state.ts';
import type { PinStore } from '../../providers/port.ts';

export interface PinDeps {
  readonly catalog: FindingCatalog;
  readonly clock: Pick<Clock, 'now'>;
  readonly pins: PinStore;
}

async function removePin(request: RouteRequest, { catalog, clock, pins }: PinDeps): Promise<Reply> {
  const found = findOrb(catalog, request);
  if (!found.ok) return found.reply;
  const { place, orb } = found.value;
  const done = await pins.remove(place);
  if (done.kind === 'gone') return problem(request, 'orb-not-found');
  if (done.kind === 'away') return pinStoreUnavailable(request, done);
  const { removed, left, owners } = done;
  // This process may not have seen the removal yet.
  const latest = catalog.orb(place.namespace, place.orbId)?.compiled ?? orb;
  const meanwhile = left === undefined ? [] : ['pin-changed: another pin was set meanwhile, it stays'];
  return json({
    orb_id: place.orbId,
    pin: pinOrNull(left),
    removed_pin: pinOrNull(removed),
    active_provider: activeOf({ ...latest, pin: left }, clock.now()),
    warnings: [...ownerWarnings(owners), ...meanwhile],
  });
}

/** `DELETE /providers/{orb_id}/pin` (failover.md §9.2). */
export const pinRoute = (deps: PinDeps): Route => ({
  method: 'delete',
  path: '/providers/{orb_id}/pin',
  scope: 'providers:swap',
  operation: removePinOperation,
  handle: (request) => removePin(request, deps),
});
