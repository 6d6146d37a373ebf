import { KINDS } from '../../adapters/kube/kinds.ts';
import type { AppliedObject } from '../../adapters/kube/port.ts';
import { openObjectStore, type ObjectStore, type ObjectStoreDeps } from '../../adapters/object-store/object-store.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { recordingLogger, type RecordedLine } from './kube/recorders.ts';
import { objectRows, type ObjectRows } from './object-rows.ts';

const never = new AbortController().signal;
const newUid: ObjectStoreDeps['newUid'] = () => crypto.randomUUID();

/** An object store over rows that the test holds. */
export interface AnObjectStore extends ObjectStore {
  readonly rows: ObjectRows;
  readonly clock: FakeClock;
  readonly lines: readonly RecordedLine[];
  /** The Orb `acme/NAME`, applied by `file`. */
  readonly applyOrb: (name: string, change?: OrbChange) => Promise<KubeObject>;
  readonly deleteOrb: (name: string) => Promise<void>;
  readonly orb: (name: string) => Promise<KubeObject | undefined>;
  /** Opens a new store over the same rows, as a new process would. */
  readonly reopen: () => Promise<AnObjectStore>;
}

interface OrbChange {
  readonly metadata?: object;
  readonly spec?: object;
  readonly by?: string;
  readonly signal?: AbortSignal;
}

export const orbObject = (name: string, { metadata = {}, spec = {} }: OrbChange = {}): AppliedObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { name, namespace: 'acme', ...metadata },
  spec: { orb_id: `acme.${name}@1.0.0`, ...spec },
});

export async function anObjectStore(given: { rows?: ObjectRows; clock?: FakeClock } = {}): Promise<AnObjectStore> {
  const { rows = objectRows(), clock = createFakeClock(Date.parse('2026-01-01T00:00:00.250Z')) } = given;
  const lines: RecordedLine[] = [];
  const store = await openObjectStore({ ledger: rows, clock, logger: recordingLogger(lines), newUid });
  const { client } = store;
  return {
    ...store,
    rows,
    clock,
    lines,
    applyOrb: (name, change = {}) =>
      client.apply(KINDS.orb, orbObject(name, change), { fieldManager: change.by ?? 'file' }, change.signal ?? never),
    deleteOrb: async (name) => {
      const ref = { namespace: 'acme', name };
      const uid = (await client.get(KINDS.orb, ref, never))?.metadata.uid ?? '';
      await client.delete(KINDS.orb, ref, { uid }, never);
    },
    orb: (name) => client.get(KINDS.orb, { namespace: 'acme', name }, never),
    reopen: () => anObjectStore({ rows, clock }),
  };
}
