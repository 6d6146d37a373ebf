import { isJsonObject } from '../../../core/json/json-value.ts';
import { conditionOf, generationOf, statusOf } from '../../../core/reconcile/read-object.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { openAdminWatch } from '../../chaos/rig/admin-watch.ts';
import { kstatus, type Kstatus } from '../kstatus.ts';
import { isKubeObject } from '../cluster.ts';

const KINDS = ['orbs', 'orbisets', 'orbpublications'] as const;

/** One version of one object, as the server sent it. */
interface Seen {
  readonly uid: string;
  /** `Orb/echo` */
  readonly name: string;
  readonly generation: number;
  readonly kstatus: Kstatus;
  readonly observedGeneration: unknown;
  readonly ready: string | undefined;
}

/** Every version of each of our objects in a namespace, from a moment on. */
export interface KstatusWatch {
  readonly seen: () => readonly Seen[];
  readonly close: () => void;
}

function seenIn(event: unknown): readonly Seen[] {
  const object = isJsonObject(event) ? event['object'] : undefined;
  if (!isKubeObject(object) || !isJsonObject(event) || event['type'] === 'BOOKMARK') return [];
  const { kind, metadata } = object;
  const { observedGeneration } = statusOf(object);
  return [
    {
      uid: metadata.uid ?? '',
      name: `${kind}/${metadata.name}`,
      generation: generationOf(object),
      kstatus: kstatus(object),
      observedGeneration,
      ready: conditionOf(object, 'Ready')?.status,
    },
  ];
}

/** Opens the watches; existing objects come first. */
export async function watchKstatus(plane: ControlPlane, namespace: string): Promise<KstatusWatch> {
  const target = { url: plane.server.url, ca: plane.ca, token: plane.users.admin.token };
  const watches = await Promise.all(
    KINDS.map((kind) =>
      openAdminWatch(target, `/apis/orbs.dev/v1alpha1/namespaces/${namespace}/${kind}?watch=1&resourceVersion=0`),
    ),
  );
  return {
    seen: () => watches.flatMap((watch) => watch.waiting().flatMap(seenIn)),
    close: () => watches.forEach((watch) => watch.close()),
  };
}

/** Versions that were *Current* although their generation was not observed, or although they were not Ready. */
export const currentTooEarly = (seen: readonly Seen[]): readonly Seen[] =>
  seen.filter(
    (one) => one.kstatus === 'Current' && (one.observedGeneration !== one.generation || one.ready !== 'True'),
  );

/** Versions that were not *Current*, after a *Current* version of the same generation. */
export const fellBack = (seen: readonly Seen[]): readonly Seen[] =>
  seen.filter((one, index) => {
    const before = seen.slice(0, index).findLast(({ uid }) => uid === one.uid);
    if (before?.kstatus !== 'Current' || before.generation !== one.generation) return false;
    return one.kstatus === 'InProgress' || one.kstatus === 'Failed';
  });
