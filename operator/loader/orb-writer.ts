import { KINDS } from '../../adapters/kube/kinds.ts';
import { KubeError, type AppliedObject, type KubeClient } from '../../adapters/kube/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { LOADED_BY_LABEL, LOADED_FROM_ANNOTATION, LOADER } from '../../core/loader/own-orb.ts';
import type { ApplyStep } from '../../core/loader/plan.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';

// An apply that names a resourceVersion creates a missing object. If the object exists with another version, it is
// refused with 409. No object has this version: it is the revision of an empty store, and every write makes a new one.
const MUST_BE_MISSING = '1';

export interface OrbWriterDeps {
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'delete'>;
  readonly namespace: string;
  /** Throws when this process no longer leads. */
  readonly assertLeading: () => void;
}

/** All writes of the loader. */
export interface OrbWriter {
  /**
   * Changes the Orb that the plan saw, by uid, or creates it if it did not exist. It never changes another Orb.
   * @returns the Orb as stored
   * @throws KubeError 409: another writer created, deleted or replaced it meanwhile; nothing was changed
   */
  readonly apply: (step: ApplyStep, signal: AbortSignal) => Promise<KubeObject>;
  /** @returns `foreign`: the label is present, but the loader did not create the Orb, so it stays */
  readonly remove: (name: string, uid: string, signal: AbortSignal) => Promise<'removed' | 'gone' | 'foreign'>;
}

const isOwnEntry = (entry: unknown): boolean =>
  isJsonObject(entry) && entry['manager'] === LOADER && entry['operation'] === 'Apply';

/** Checks label and field manager. Copying an object copies its label, but not its field manager. */
const isLoaded = ({ metadata: { labels, managedFields = [] } }: KubeObject): boolean =>
  labels?.[LOADED_BY_LABEL] === LOADER && managedFields.some(isOwnEntry);

export function createOrbWriter({ client, namespace, assertLeading }: OrbWriterDeps): OrbWriter {
  const desired = ({ name, file, manifest, existing }: ApplyStep): AppliedObject => ({
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orb',
    metadata: {
      name,
      namespace,
      labels: { [LOADED_BY_LABEL]: LOADER },
      annotations: { [LOADED_FROM_ANNOTATION]: file },
      ...(existing?.metadata.uid === undefined ? { resourceVersion: MUST_BE_MISSING } : { uid: existing.metadata.uid }),
    },
    spec: manifest.manifest,
  });
  /**
   * A replaced Orb is refused with 422, the same as a bad manifest (operator.md A4). A live read distinguishes the two.
   */
  const isAnother = async ({ name, existing }: ApplyStep, signal: AbortSignal): Promise<boolean> => {
    const uid = existing?.metadata.uid;
    if (uid === undefined) return false;
    return (await client.get(KINDS.orb, { namespace, name }, signal))?.metadata.uid !== uid;
  };
  const explain = async (step: ApplyStep, error: unknown, signal: AbortSignal): Promise<unknown> => {
    if (!(error instanceof KubeError) || error.status !== 422 || !(await isAnother(step, signal))) return error;
    const answer = { status: 409, reason: 'Conflict', causes: [] };
    return new KubeError(`Orb ${step.name} was created again`, answer, { cause: error });
  };
  return {
    apply: async (step, signal) => {
      assertLeading();
      try {
        return await client.apply(KINDS.orb, desired(step), { fieldManager: LOADER }, signal);
      } catch (error) {
        throw await explain(step, error, signal);
      }
    },
    remove: async (name, uid, signal) => {
      const live = await client.get(KINDS.orb, { namespace, name }, signal);
      if (live === undefined || live.metadata.uid !== uid) return 'gone';
      if (!isLoaded(live)) return 'foreign';
      const { resourceVersion } = live.metadata;
      assertLeading();
      const preconditions = { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      await client.delete(KINDS.orb, { namespace, name }, preconditions, signal);
      return 'removed';
    },
  };
}
