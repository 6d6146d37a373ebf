import { digestOfText } from '../../../../core/manifest/digest.ts';
import { jcs } from '../../../../core/json/jcs.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import type { CheckedFile, FileManifest } from '../../../../core/loader/check-file.ts';
import { LOADED_BY_LABEL, LOADED_FROM_ANNOTATION, LOADER } from '../../../../core/loader/own-orb.ts';
import type { ApplyStep } from '../../../../core/loader/plan.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';

/** A manifest as a checked file gives it; `text` makes versions differ. */
export function manifestOf(name: string, text = 'one'): FileManifest {
  const manifest: JsonObject = { orb_id: `${name}@1.0.0`, description: text };
  const canonical = jcs(manifest);
  return { name, orbId: `${name}@1.0.0`, manifest, digest: digestOfText(canonical), jcs: canonical };
}

export const fileOf = (
  file: string,
  manifests: readonly FileManifest[],
  rest: Partial<CheckedFile> = {},
): CheckedFile => ({ file, manifests, claims: [], broken: false, findings: [], ...rest });

/** The Orb that comes of an apply, on top of what is there. */
export function appliedOrb({ name, file, manifest, existing }: ApplyStep): KubeObject {
  const before: unknown = existing?.spec;
  const kept = typeof before === 'object' && before !== null ? before : {};
  const foreign = Object.fromEntries(Object.entries(kept).filter(([member]) => member.startsWith('x_')));
  return {
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orb',
    metadata: {
      name,
      namespace: 'team',
      uid: existing?.metadata.uid ?? `uid-${name}`,
      generation: (existing?.metadata.generation ?? 0) + 1,
      labels: { [LOADED_BY_LABEL]: LOADER },
      annotations: { [LOADED_FROM_ANNOTATION]: file },
    },
    spec: { ...foreign, ...manifest.manifest },
  };
}

/** An Orb that the loader made of a file. */
export const loadedOrb = (file: string, manifest: FileManifest): KubeObject =>
  appliedOrb({ name: manifest.name, file, manifest, existing: undefined });
