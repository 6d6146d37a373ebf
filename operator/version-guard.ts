import { KINDS } from '../adapters/kube/kinds.ts';
import { KubeError, type KubeClient } from '../adapters/kube/port.ts';
import type { Logger } from '../adapters/telemetry/port.ts';
import type { Clock } from '../adapters/time/clock.ts';
import type { ObjectRef } from '../core/reconcile/kube-object.ts';
import { versionStepFault } from '../core/release/version-step.ts';

/** Annotation of the Lease: version of the last leader. */
export const VERSION = 'orbs.dev/version';

const AGAIN_MS = 2000;

/** This version must not follow the last leader's version. A restart does not help. */
export class SkippedVersion extends Error {
  readonly code = 'version-skipped';
  constructor(message: string) {
    super(message);
    this.name = 'SkippedVersion';
  }
}

interface GuardDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Version of this program. */
  readonly version: string;
  /** The Lease of the leader. */
  readonly lease: ObjectRef;
}

/**
 * @returns undefined without an earlier leader, or when the signal was aborted while the Kubernetes API did not answer
 */
async function lastVersion(
  { client, clock, logger, lease }: GuardDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      return (await client.get(KINDS.lease, lease, signal))?.metadata.annotations?.[VERSION];
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof KubeError)) throw error;
      logger.warn('the version that led last is not known yet', { error });
      await clock.sleep(AGAIN_MS, signal).catch(() => undefined);
    }
  }
  return undefined;
}

/**
 * Checks the version of the last leader before this process campaigns. A version that must not follow it never leads.
 * During a rolling update this process then does not get ready. So the update stops, and the others keep running.
 * @throws SkippedVersion names the version to install first
 */
export async function checkVersion(deps: GuardDeps, signal: AbortSignal): Promise<void> {
  const known = await lastVersion(deps, signal);
  const refused = known === undefined ? undefined : versionStepFault(known, deps.version);
  if (refused !== undefined) throw new SkippedVersion(refused);
}
