import { problem } from '../http/problem.ts';
import type { Reply, RouteRequest } from '../http/route.ts';
import type { NoPin } from './port.ts';

/** 503 when pins can't be written; whether this one was is said as far as it is known. */
export function away(request: RouteRequest, { maybe }: Extract<NoPin, { kind: 'away' }>): Reply {
  const detail = maybe
    ? 'It broke off while the pin was being written: GET …/status shows what holds. The same request again does no harm.'
    : 'Nothing was changed.';
  return problem(request, 'control-plane-unavailable', { detail });
}
