import type { Dialer } from '../../adapters/egress/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { parseOrbId, type OrbId } from '../../core/manifest/orb-id.ts';
import { resourceName } from '../../core/manifest/resource-name.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { specOf } from '../../core/reconcile/read-object.ts';
import type { KillSwitches } from '../runtime/kill-switches.ts';

export interface KillFeedDeps {
  readonly switches: KillSwitches;
  readonly dialer: Pick<Dialer, 'halt' | 'resume'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

// A value that can't be parsed counts as a thrown switch: it was meant to stop something (security.md S30).
const isThrown = (value: unknown): boolean => value !== undefined && value !== false;

/** The Orb of a publication. Without a readable id, it is the Orb that the publication's name was made from. */
function coveredBy(publication: KubeObject): (orbId: OrbId) => boolean {
  const { manifest } = specOf(publication);
  const text = isJsonObject(manifest) ? manifest['orb_id'] : undefined;
  const parsed = typeof text === 'string' ? parseOrbId(text) : undefined;
  if (parsed?.ok === true) return (orbId) => orbId === parsed.value;
  return (orbId) => resourceName(orbId) === publication.metadata.name;
}

/** `OrbPublication.spec.suspended`: the publisher's own switch for one version of an Orb. */
export function publicationChanged(
  { switches, logger }: KillFeedDeps,
  key: string,
  publication: KubeObject | undefined,
): void {
  if (publication === undefined || !isThrown(specOf(publication)['suspended'])) {
    if (switches.liftOrbs(key)) logger.info('an Orb is no longer suspended by its publication', { publication: key });
    return;
  }
  const { namespace = '' } = publication.metadata;
  const ended = switches.suspendOrbs(key, { namespace, covers: coveredBy(publication) });
  logger.warn('an Orb is suspended by its publication', { publication: key, runs_ended: ended });
}

/** Name of the ConfigMap whose `stop: "true"` stops all calls to providers. */
export const EGRESS_SWITCH = 'orb-egress';

/** A ConfigMap holds texts only: every value except `false` stops. */
function stopsEgress(configMap: KubeObject | undefined): boolean {
  if (configMap === undefined) return false;
  const { data, binaryData } = configMap;
  if (isJsonObject(binaryData) && Object.hasOwn(binaryData, 'stop')) return true;
  const stop = isJsonObject(data) ? data['stop'] : undefined;
  return stop !== undefined && stop !== 'false';
}

/** ConfigMap `orb-egress` of the platform namespace: the switch for all calls. Its deletion allows calls again. */
export function egressSwitchChanged(
  { switches, dialer, logger }: KillFeedDeps,
  configMap: KubeObject | undefined,
): void {
  const stop = stopsEgress(configMap);
  if (stop === switches.egressStopped) return;
  if (!stop) {
    dialer.resume();
    switches.allowEgress();
    logger.warn('calls to providers are allowed again');
    return;
  }
  const ended = switches.stopEgress();
  logger.warn('all calls to providers are stopped', { runs_ended: ended });
  dialer.halt().catch((error: unknown) => logger.error('connections to providers could not be broken', { error }));
}
