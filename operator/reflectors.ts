import { KINDS } from '../adapters/kube/kinds.ts';
import type { Kind, KubeClient, Reflector, Selection } from '../adapters/kube/port.ts';
import { createReflector, type ReflectorOptions } from '../adapters/kube/reflector.ts';
import { bindsTheApi, VAULT_READER } from '../core/orbiset/vault-reader.ts';
import type { KubeObject } from '../core/reconcile/kube-object.ts';
import type { Stores } from './context.ts';
import type { Handlers } from './enqueue.ts';
import { BINDING_INDEXES, ORB_INDEXES, ORBISET_INDEXES } from './indexes.ts';
import type { Settings } from './settings.ts';

type Tools = Pick<ReflectorOptions, 'clock' | 'random' | 'logger' | 'metrics'> & {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
};

type Own = Pick<ReflectorOptions, 'indexes' | 'transform'> & { readonly selection?: Selection };

/** One reflector for each kind that the operator reads. */
export type Reflectors = Readonly<Record<keyof Stores, Reflector>>;

/** The operator needs the one RoleBinding that it makes; a tenant may call its own as it likes. */
function bindingSelection({ vaultMode, namespace }: Settings): Own {
  if (vaultMode === 'operator') return { selection: { fieldSelector: `metadata.name=${VAULT_READER}` } };
  return { transform: (binding: KubeObject) => (bindsTheApi(binding, namespace) ? binding : undefined) };
}

export function createReflectors(settings: Settings, tools: Tools, handlers: Handlers): Reflectors {
  const of = (kind: Kind, onChange: ReflectorOptions['onChange'], own: Own): Reflector =>
    createReflector({ ...tools, selection: {}, ...own, kind, onChange });
  return {
    orb: of(KINDS.orb, handlers.orb, { indexes: ORB_INDEXES }),
    orbiset: of(KINDS.orbiset, handlers.orbiset, { indexes: ORBISET_INDEXES }),
    publication: of(KINDS.publication, handlers.publication, {}),
    roleBinding: of(KINDS.roleBinding, handlers.roleBinding, {
      indexes: BINDING_INDEXES,
      ...bindingSelection(settings),
    }),
  };
}

/** What is in the caches, for those who only read. */
export const storesOf = ({ orb, orbiset, publication, roleBinding }: Reflectors): Stores => ({
  orb: orb.store,
  orbiset: orbiset.store,
  publication: publication.store,
  roleBinding: roleBinding.store,
});
