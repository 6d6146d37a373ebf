import type { AppliedObject } from '../../adapters/kube/port.ts';
import {
  annotationsOf,
  documentPinOf,
  membersOf,
  pinAnnotationOf,
  type FileResource,
} from '../../core/files/file-object.ts';
import { pinDigestOf } from '../../core/failover/pin.ts';
import type { FolderFile } from '../../core/files/plan-files.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Pin } from '../../crds/orb.ts';
import { manifestOf } from './kube-objects.ts';

/** A pin as a file holds it. */
export const aPin = (provider: string, change: Partial<Pin> = {}): Pin => ({
  provider,
  expires_at: '2026-06-01T00:00:00Z',
  ...change,
});

function plain(members: object): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(members));
  return isJsonObject(value) ? value : {};
}

/** A document of the Orb `default/NAME`. */
export const orbDocument = (name: string, pin?: Pin, members: Record<string, string> = {}): FileResource => ({
  kind: 'Orb',
  namespace: 'default',
  name,
  manifest: plain(manifestOf({ orb_id: `acme.${name}@1.0.0`, ...members })),
  pointer: '/spec',
  pin,
});

export const orbisetDocument = (name: string, spec = {}): FileResource => ({
  kind: 'Orbiset',
  namespace: 'default',
  name,
  spec,
});

export const secretDocument = (name: string, value: string): FileResource => ({
  kind: 'Secret',
  namespace: 'default',
  name,
  data: new Map([['TOKEN', new TextEncoder().encode(value)]]),
});

export const aFile = (file: string, ...resources: readonly FileResource[]): FolderFile => ({
  file,
  resources,
  broken: false,
});

export const brokenFile = (file: string, ...resources: readonly FileResource[]): FolderFile => ({
  file,
  resources,
  broken: true,
});

const OWN = 'orbs.dev/v1alpha1';
const API_VERSIONS = { Orb: OWN, Orbiset: OWN, OrbPolicy: OWN, OrbSignalSource: OWN, Secret: 'v1' } as const;

/** The object that a document of a file becomes. @param spec members beside those of the document */
export function objectFrom(file: string, resource: FileResource, spec: object = {}): KubeObject {
  const { kind, namespace, name } = resource;
  const pin = documentPinOf(resource);
  const own = resource.kind === 'Orb' && resource.pin !== undefined ? { pin: resource.pin } : {};
  const members: Partial<AppliedObject> = membersOf(resource);
  const annotations = {
    ...annotationsOf({ file, resource }),
    ...(pin === undefined ? {} : pinAnnotationOf(pinDigestOf(pin))),
  };
  return {
    apiVersion: API_VERSIONS[kind],
    kind,
    ...members,
    metadata: { name, namespace, uid: `uid-${name}`, annotations },
    ...(kind === 'Orb' && typeof members['spec'] === 'object' ? { spec: { ...members['spec'], ...own, ...spec } } : {}),
  };
}
