import { KINDS } from '../../adapters/kube/kinds.ts';
import type { AppliedObject, Kind, KubeClient } from '../../adapters/kube/port.ts';
import {
  annotationsOf,
  documentPinOf,
  filePinOf,
  hasFilePin,
  isNotedPin,
  membersOf,
  PIN_ANNOTATION_PATH,
  type FileResource,
} from '../../core/files/file-object.ts';
import { pinDigestOf } from '../../core/failover/pin.ts';
import type { ApplyStep, FilesPlan } from '../../core/files/plan-files.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { specOf } from '../../core/reconcile/read-object.ts';
import { forEachConcurrently } from './for-each-concurrently.ts';

/** Field manager of the contents of files. */
export const FILES = 'orb-files';
/** Field manager of the pins in files. They are applied once, so that a newer pin of the API stays. */
export const FILE_PINS = 'orb-files-pin';

type FileKind = FileResource['kind'];

const KIND_OF: Readonly<Record<FileKind, Kind>> = {
  Orb: KINDS.orb,
  Orbiset: KINDS.orbiset,
  OrbPolicy: KINDS.orbpolicy,
  OrbSignalSource: KINDS.orbsignalsource,
  Secret: KINDS.secret,
};
export const FILE_KINDS: readonly Kind[] = Object.values(KIND_OF);

const isFileKind = (kind: string): kind is FileKind => Object.hasOwn(KIND_OF, kind);

const apiVersionOf = ({ group, version }: Kind): string => (group === '' ? version : `${group}/${version}`);

/** Callbacks for finished writes. */
interface Written {
  /** @param object as stored after the write */
  readonly applied: (object: KubeObject) => void;
  /** @param object as it was before */
  readonly removed: (object: KubeObject) => void;
}

/** Carries out plans on the local object store. */
export interface FileWriter {
  /**
   * Applies every step of a plan, then removes objects that no file holds.
   * @param createdAt of new objects: those of one read have the same age
   * @param written called for each object after its write
   * @throws LedgerError some steps may not have been carried out; the plan of the next read completes them
   */
  readonly write: (plan: FilesPlan, createdAt: string, written: Written) => Promise<void>;
}

/** A read of the files that has begun is carried out, also while the process is ending. */
const never = new AbortController().signal;

/** Changes the pin and its note in one write. After a crash between two writes the pin would never be set. */
function pinPatch({ resource, pin: step }: ApplyStep, orb: KubeObject): readonly object[] {
  const pin = documentPinOf(resource);
  const path = '/spec/pin';
  const note =
    pin === undefined
      ? { op: 'remove', path: PIN_ANNOTATION_PATH }
      : { op: 'add', path: PIN_ANNOTATION_PATH, value: pinDigestOf(pin) };
  const notes = isNotedPin(filePinOf(orb), pin) ? [] : [note];
  if (step === 'set') return [{ op: 'add', path, value: { ...pin } }, ...notes];
  // The API may have set another pin after the plan was made.
  if (step === 'note' || !hasFilePin(orb)) return notes;
  return [{ op: 'test', path, value: specOf(orb)['pin'] }, { op: 'remove', path }, ...notes];
}

const objectOf = ({ resource }: ApplyStep, members: object, metadata: object): AppliedObject => {
  const { kind, namespace, name, labels } = resource;
  const named = { name, namespace, ...(labels === undefined ? {} : { labels }) };
  return { apiVersion: apiVersionOf(KIND_OF[kind]), kind, metadata: { ...named, ...metadata }, ...members };
};

export function createFileWriter(client: Pick<KubeClient, 'apply' | 'patch' | 'delete'>): FileWriter {
  const applyPin = (step: ApplyStep, orb: KubeObject): Promise<KubeObject> => {
    const { name, namespace } = step.resource;
    const body = pinPatch(step, orb);
    return client.patch(KINDS.orb, { name, namespace }, { type: 'json', body, fieldManager: FILE_PINS }, never);
  };

  const apply = async (step: ApplyStep, creationTimestamp: string): Promise<KubeObject> => {
    const kind = KIND_OF[step.resource.kind];
    const object = objectOf(step, membersOf(step.resource), { annotations: annotationsOf(step), creationTimestamp });
    const stored = await client.apply(kind, object, { fieldManager: FILES, force: true }, never);
    return step.pin === 'keep' ? stored : applyPin(step, stored);
  };

  const remove = async ({ kind, metadata }: KubeObject): Promise<void> => {
    const { name, namespace = '', uid = '' } = metadata;
    if (isFileKind(kind)) await client.delete(KIND_OF[kind], { name, namespace }, { uid }, never);
  };

  return {
    write: async (plan, createdAt, { applied, removed }) => {
      // Kinds are written one after another, in the order of the plan.
      for (const steps of Map.groupBy(plan.apply, ({ resource }) => resource.kind).values())
        await forEachConcurrently(steps, async (step) => applied(await apply(step, createdAt)));
      await forEachConcurrently(plan.remove, async (object) => {
        await remove(object);
        removed(object);
      });
    },
  };
}
