import type { Reply } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RunPlan } from './plan.ts';

/** Adds `Deprecation` with its date (RFC 9745) to the answer of a run of a version that its publisher deprecated. */
export function withDeprecation({ published }: Pick<Runtime, 'published'>, { orb }: RunPlan, reply: Reply): Reply {
  const version = published.version(orb.orbId);
  if (version?.deprecatedAt === undefined || version.manifestDigest !== orb.digest) return reply;
  return { ...reply, headers: { ...reply.headers, deprecation: `@${Math.floor(version.deprecatedAt / 1000)}` } };
}
