import type { ManagedElsewhere } from '../../../core/policy/document/plan-write.ts';
import { problem } from '../../http/problem.ts';
import type { ProblemCode } from '../../http/problems.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';
import type { PolicyCreated, PolicyDeleted, PolicyWritten } from '../../policy/port.ts';

type Failed = Exclude<PolicyWritten | PolicyCreated | PolicyDeleted, { kind: 'written' | 'deleted' }>;

/** Codes that writing a policy may answer. */
export const WRITE_PROBLEMS: readonly ProblemCode[] = [
  'policy-not-found',
  'precondition-failed',
  'managed-elsewhere',
  'policy-invalid',
  'control-plane-unavailable',
];

function managedElsewhere(request: RouteRequest, { manager, patch }: ManagedElsewhere): Reply {
  const detail = manager.startsWith('file:')
    ? `The policy is in the file ${manager.slice('file:'.length)} of --resources.`
    : `The field manager ${manager} owns what would change.`;
  return problem(request, 'managed-elsewhere', { detail, extensions: { manager, patch } });
}

/** The answer to a write that did not happen. */
export function notWritten(request: RouteRequest, failed: Failed): Reply {
  switch (failed.kind) {
    case 'gone':
      return problem(request, 'policy-not-found');
    case 'changed':
      return problem(request, 'precondition-failed');
    case 'exists':
      return problem(request, 'already-exists');
    case 'no-namespace':
      return problem(request, 'namespace-not-found');
    case 'managed-elsewhere':
      return managedElsewhere(request, failed);
    case 'refused':
      return problem(request, 'policy-invalid', {
        errors: [{ pointer: '', code: 'refused-by-server', detail: failed.detail }],
      });
    case 'away':
      return problem(request, 'control-plane-unavailable');
    default:
      return failed satisfies never;
  }
}
