import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../../../adapters/kube/port.ts';
import type { EventSpec } from '../../../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { keyOf } from '../../../../core/reconcile/kube-object.ts';
import { LOADER } from '../../../../core/loader/own-orb.ts';
import { ManifestSync } from '../../../../operator/loader/manifest-sync.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { createFakeKubeClient, type FakeKubeClient } from '../../../support/kube/fake-kube-client.ts';
import { recordingLogger, type RecordedLine } from '../../../support/kube/recorders.ts';
import { aManifest } from '../../core/manifest/a-manifest.ts';

/** A manifest as the text of a file; `text` makes versions differ. */
export const manifestText = (orbId: string, text = 'one'): string =>
  JSON.stringify(aManifest({}, { orb_id: orbId, description: text }));

/** A loader over a folder and an API of its own. */
export interface SyncRig {
  readonly client: FakeKubeClient;
  readonly clock: FakeClock;
  readonly lines: readonly RecordedLine[];
  /** Notes of the Events, each with what it hangs on. */
  readonly events: readonly string[];
  readonly counted: readonly string[];
  readonly write: (files: Readonly<Record<string, string | undefined>>) => void;
  readonly sync: () => Promise<void>;
  /** Syncs, waits and syncs again: long enough for a removal. */
  readonly settle: () => Promise<void>;
  /** Writes so far, as `verb name`. */
  readonly writes: () => readonly string[];
  readonly names: () => readonly string[];
  leading: boolean;
}

const POD: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'operator-1', namespace: 'orb-system' } };

/** The fake keeps no managedFields: who applied an object stands in its requests. */
function withManagers(client: FakeKubeClient): Pick<KubeClient, 'get' | 'apply' | 'delete'> {
  const get: KubeClient['get'] = async (kind, ref, signal) => {
    const found = await client.get(kind, ref, signal);
    const ours = client.requests.some(({ fieldManager, key }) => fieldManager === LOADER && key === keyOf(ref));
    if (found === undefined || !ours) return found;
    return { ...found, metadata: { ...found.metadata, managedFields: [{ manager: LOADER, operation: 'Apply' }] } };
  };
  return { get, apply: client.apply, delete: client.delete };
}

export function aManifestSync(folder: string): SyncRig {
  mkdirSync(folder);
  const client = createFakeKubeClient();
  const clock = createFakeClock(0);
  const logger = recordingLogger();
  const events: string[] = [];
  const counted: string[] = [];
  const { signal } = new AbortController();
  const its: SyncRig = {
    client,
    clock,
    lines: logger.lines,
    events,
    counted,
    leading: true,
    write: (files) => {
      for (const [name, text] of Object.entries(files))
        if (text === undefined) rmSync(join(folder, name), { recursive: true });
        else writeFileSync(join(folder, name), text);
    },
    sync: () => manifestSync.run(signal),
    settle: async () => {
      await its.sync();
      await clock.advance(1000);
      await its.sync();
    },
    writes: () =>
      client.requests
        .filter(({ verb }) => verb === 'apply' || verb === 'delete')
        .map(({ verb, key }) => `${verb} ${key.replace('team/', '')}`),
    names: () => client.objects(KINDS.orb).map(({ metadata }) => metadata.name),
  };
  const manifestSync = new ManifestSync({
    folder,
    namespace: 'team',
    client: withManagers(client),
    orbs: { list: () => client.objects(KINDS.orb), offer: () => undefined },
    assertLeading: () => {
      if (!its.leading) throw new Error('does not lead');
    },
    recorder: {
      record: ({ kind }, specs: readonly EventSpec[]) =>
        events.push(...specs.map(({ reason, note }) => `${kind} ${reason} ${note}`)),
    },
    reportOn: () => Promise.resolve(POD),
    clock,
    logger,
    metrics: {
      files: (loaded, refused) => void counted.push(`files ${loaded} ${refused}`),
      readable: (readable) => void counted.push(`readable ${readable}`),
      wrote: (verb, result) => void counted.push(`${verb} ${result}`),
    },
    allowedOrigins: [],
  });
  return its;
}
