import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { Kind } from '../../adapters/kube/port.ts';
import { createCompileOnce } from '../../core/orb/compile-once.ts';
import type { InvalidSource } from '../../core/orb/invalid-source.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { FolderFeed } from '../../standalone/files/folder-feed.ts';
import { anObjectStore, type AnObjectStore } from './an-object-store.ts';
import { recordingLogger, type RecordedLine } from './kube/recorders.ts';

const never = new AbortController().signal;

/** A folder of files and the objects that they become. */
export interface AFolderFeed {
  readonly folder: string;
  readonly store: AnObjectStore;
  readonly lines: RecordedLine[];
  /** Replaces a file as an editor does. */
  readonly write: (file: string, text: string) => void;
  readonly remove: (file: string) => void;
  /** Replaces all files at once, as Kubernetes does with those of a volume. */
  readonly swapVolume: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly scan: () => Promise<void>;
  /** The files that can't be read whole, as of the last change. */
  readonly invalid: () => readonly InvalidSource[];
  /** Names of the objects of a kind in all namespaces of the store. */
  readonly names: (kind: Kind) => Promise<readonly string[]>;
  readonly get: (kind: Kind, name: string) => Promise<KubeObject | undefined>;
  /** Log lines that contain `part`: `level message`. */
  readonly said: (part: string) => readonly RecordedLine[];
  /** A new process over the same files and rows. */
  readonly restart: () => Promise<AFolderFeed>;
  readonly dispose: () => void;
}

interface Given {
  readonly folder: string;
  readonly store: AnObjectStore;
}

function feedOver({ folder, store }: Given): AFolderFeed {
  const lines: RecordedLine[] = [];
  const { client, clock } = store;
  const logger = recordingLogger(lines);
  let invalid: readonly InvalidSource[] = [];
  const feed = new FolderFeed({
    folder,
    client,
    compiled: createCompileOnce([]),
    clock,
    logger,
    platformNamespace: 'orb-system',
    onInvalid: (sources) => void (invalid = sources),
  });
  let volumes = 0;
  return {
    folder,
    store,
    lines,
    write: (file, text) => {
      writeFileSync(join(folder, `.${file}.new`), text);
      renameSync(join(folder, `.${file}.new`), join(folder, file));
    },
    remove: (file) => rmSync(join(folder, file)),
    swapVolume: async (files) => {
      const target = `..volume-${(volumes += 1)}`;
      await mkdir(join(folder, target));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, target, file), text);
      symlinkSync(target, join(folder, '..data_new'));
      renameSync(join(folder, '..data_new'), join(folder, '..data'));
      for (const file of Object.keys(files)) {
        rmSync(join(folder, file), { force: true });
        symlinkSync(join('..data', file), join(folder, file));
      }
    },
    scan: () => feed.scan(),
    invalid: () => invalid,
    names: async (kind) => (await client.list(kind, {}, never)).items.map(({ metadata }) => metadata.name).toSorted(),
    get: (kind, name) => client.get(kind, { namespace: 'default', name }, never),
    said: (part) => lines.filter(({ level, message }) => `${level} ${message}`.includes(part)),
    restart: async () => feedOver({ folder, store: await store.reopen() }),
    dispose: () => rmSync(folder, { recursive: true }),
  };
}

/** An empty folder over an empty store. */
export const aFolderFeed = async (): Promise<AFolderFeed> =>
  feedOver({ folder: mkdtempSync(join(tmpdir(), 'orb-files-')), store: await anObjectStore() });

/** Text of a file that holds a bare manifest. */
export const manifestFile = (name: string, members: object = {}): string =>
  JSON.stringify({
    orb_id: `acme.${name}@1.0.0`,
    provider: 'main',
    description: 'Says what it hears.',
    inputs: { text: { type: 'string', required: true } },
    outputs: { text: { type: 'string' } },
    execution: { type: 'http', method: 'GET', url: 'https://api.example.com/echo' },
    ...members,
  });

/** Name of the object that such a manifest becomes. */
export const nameOf = (name: string): string => `acme.${name}-1.0.0`;

/** Text of a file that holds the Orb `default/NAME`. */
export const orbFile = (name: string, pin?: object, members: object = {}): string => {
  const spec: unknown = JSON.parse(manifestFile(name, members));
  const manifest = typeof spec === 'object' ? spec : {};
  const metadata = { name, namespace: 'default' };
  const pinned = pin === undefined ? {} : { pin };
  return JSON.stringify({ apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata, spec: { ...manifest, ...pinned } });
};

export const orbNames = ({ names }: AFolderFeed): Promise<readonly string[]> => names(KINDS.orb);
