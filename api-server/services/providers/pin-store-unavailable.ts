import { problem } from '../../http/problem.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';
import type { PinUnavailable } from '../../providers/port.ts';

/** 503 when pins can't be written. It reports whether the pin was written, as far as this is known. */
export function pinStoreUnavailable(
  request: RouteRequest,
  { maybe }: Extract<PinUnavailable, { kind: 'away' }>,
): Reply {
  const detail = maybe
    ? 'The write of the pin was interrupted: GET …/status shows the current state. You can safely repeat the request.'
    : 'Nothing was changed.';
  return problem(request, 'control-plane-unavailable', { detail });
}
