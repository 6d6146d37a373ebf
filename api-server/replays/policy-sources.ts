import type { PolicySources } from '../../adapters/replay-worker/port.ts';
import type { PolicySet } from '../../core/policy/decision/policy-set.ts';

/** A set as it crosses to another thread: closures and compiled expressions can't. */
export const policySources = ({ members, missing }: PolicySet): PolicySources => ({
  policies: members.map(({ definition: { namespace, name, spec }, mode }) => ({ namespace, name, spec, mode })),
  missing: missing.map(({ namespace, name, mode, requireReady, match }) => ({
    namespace,
    name,
    mode,
    requireReady,
    match,
  })),
});
