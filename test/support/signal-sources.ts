import { hmacSha256 } from '../../adapters/keys/primitives.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { SourceFeed } from '../../api-server/ingestion/source-feed.ts';
import { sourceIdOf } from '../../core/ingestion/source/source-id.ts';
import type { OrbSignalSourceSpec } from '../../crds/orbsignalsource.ts';
import { recordLog } from './kube/runtime-recorders.ts';

const KEY = new Uint8Array(32).fill(7);

/** A source of Grafana with one secret, `hook/current`. */
export const GRAFANA_SPEC: OrbSignalSourceSpec = {
  type: 'grafana',
  mode: 'Active',
  auth: { secretRefs: [{ name: 'hook', key: 'current' }] },
};

/** Has an expression that does not compile. */
export const BROKEN_SPEC: OrbSignalSourceSpec = { ...GRAFANA_SPEC, mapping: { fields: { title: 'payload.' } } };

/** An OrbSignalSource as kubectl would apply it. */
export const sourceObject = (name: string, spec: OrbSignalSourceSpec = GRAFANA_SPEC): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbSignalSource',
  metadata: { name },
  spec,
});

/** The sources of a process over a ledger, before it has read their objects. */
export async function unreadSources(
  ledger: Pick<Ledger, 'states' | 'putState' | 'deleteState'>,
  { logger } = recordLog(),
): Promise<SourceFeed> {
  const sources = new SourceFeed({
    ledger,
    platformNamespace: 'orb-system',
    logger,
    idOf: (path) => sourceIdOf(KEY, path, hmacSha256),
  });
  await sources.open();
  return sources;
}
