import { Counter, Gauge, type Registry } from 'prom-client';

type LoaderVerb = 'apply' | 'delete';
type LoaderResult = 'success' | 'error';

/** Metrics of the manifest loader. */
export interface LoaderMetrics {
  /** After one scan: files without and with an error. */
  readonly files: (loaded: number, refused: number) => void;
  /** Also false for an empty folder while Orbs from it still exist. */
  readonly readable: (readable: boolean) => void;
  readonly wrote: (verb: LoaderVerb, result: LoaderResult) => void;
}

/** Adds the loader's metrics to a registry; counters exist with 0 before the first write. */
export function createLoaderMetrics(registry: Registry): LoaderMetrics {
  const files = new Gauge({
    name: 'orb_manifest_loader_files',
    help: 'Files of the manifest folder at the last scan, by whether the whole file was applied.',
    labelNames: ['state'],
    registers: [registry],
  });
  const readable = new Gauge({
    name: 'orb_manifest_loader_folder_readable',
    help: '1 when the manifest folder could be read at the last scan, else 0. An empty folder counts as 0 while it has Orbs.',
    registers: [registry],
  });
  const writes = new Counter({
    name: 'orb_manifest_loader_writes_total',
    help: 'Orbs that the manifest loader applied and deleted.',
    labelNames: ['verb', 'result'],
    registers: [registry],
  });
  for (const verb of ['apply', 'delete']) for (const result of ['success', 'error']) writes.inc({ verb, result }, 0);
  return {
    files: (loaded, refused) => {
      files.set({ state: 'loaded' }, loaded);
      files.set({ state: 'refused' }, refused);
    },
    readable: (now) => readable.set(now ? 1 : 0),
    wrote: (verb, result) => writes.inc({ verb, result }),
  };
}
