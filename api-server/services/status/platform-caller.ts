import type { Caller } from '../../../core/api-key/caller.ts';
import { problem } from '../../http/problem.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';

const actsForPlatform = (caller: Caller | undefined, namespace: string): boolean =>
  caller !== undefined && (caller.tenants === '*' || caller.tenants.includes(namespace));

/** The refusal of a caller that does not act for the platform's namespace; undefined: it does. */
export const refuseOthers = (request: RouteRequest, platformNamespace: string): Reply | undefined =>
  actsForPlatform(request.caller, platformNamespace)
    ? undefined
    : problem(request, 'forbidden', {
        detail: 'This needs a key of the platform namespace, or a ServiceAccount with the right there.',
      });
