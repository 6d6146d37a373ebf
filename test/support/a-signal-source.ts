import type { SignalSource } from '../../api-server/ingestion/source.ts';
import { sha256Hex } from '../../adapters/keys/primitives.ts';
import { judgeSource } from '../../core/ingestion/source/judge-source.ts';

/** Members of a spec; mode is Active, and there is one secret, unless they say otherwise. */
export type SourceSpec = Readonly<Record<string, unknown>> & { readonly type: string };

/** A source as it receives. @param key `namespace/name` */
export function aSignalSource(key: string, spec: SourceSpec, platformNamespace = 'orb-system'): SignalSource {
  const [namespace = '', name = ''] = key.split('/');
  const whole = { mode: 'Active', auth: { secretRefs: [{ name: 'hook', key: 'token' }] }, ...spec };
  const metadata = { namespace, name, uid: key, generation: 1 };
  const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbSignalSource', metadata, spec: whole };
  const judged = judgeSource(object, platformNamespace);
  if (judged.kind !== 'accepted') throw new Error(JSON.stringify(judged));
  const { pathEpoch: _epoch, secretRefs: _refs, ...compiled } = judged.source;
  const secrets = { kind: 'readable', values: [new Uint8Array(8)] } as const;
  const sourceId = `src_${sha256Hex(key).slice(0, 26)}`;
  return { ...compiled, namespace, name, uid: key, generation: 1, sourceId, secrets };
}
