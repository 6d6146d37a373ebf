import { problem } from '../../http/problem.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';
import type { NoPin } from '../../providers/port.ts';

/** 503 when pins can't be written. It reports whether the pin was written, as far as this is known. */
export function away(request: RouteRequest, { maybe }: Extract<NoPin, { kind: 'away' }>): Reply {
  const detail = maybe
    ? 'It broke off while the pin was being written: GET …/status shows what holds. The same request again does no harm.'
    : 'Nothing was changed.';
  return problem(request, 'control-plane-unavailable', { detail });
}
