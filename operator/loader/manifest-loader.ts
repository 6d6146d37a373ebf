import { watchFolders } from '../../adapters/manifest-folder/watch-folder.ts';
import { ManifestSync, type ManifestLoaderOptions } from './manifest-sync.ts';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Keeps the Orbs of one namespace equal to a folder of bare manifests (design.md §2, manifest loader). It writes only
 * Orbs that it created itself. An unreadable or emptied folder changes nothing; nor does a file that does not parse or
 * validate.
 * @returns `run` resolves on abort, never rejects; only the leader calls it. Changes of the folder are applied after
 * about 0.1 s, or after 2 s where file events get lost. An Orb is removed 1–5 s after its manifest, and after any Orb
 * that replaces it is written.
 */
export function createManifestLoader(options: ManifestLoaderOptions): {
  readonly run: (signal: AbortSignal) => Promise<void>;
} {
  const { folder, namespace, logger } = options;
  return {
    run: async (signal) => {
      const sync = new ManifestSync(options);
      let failing = '';
      const next = async (): Promise<void> => {
        try {
          if (!signal.aborted) await sync.run(signal);
          failing = '';
        } catch (error) {
          const text = String(error);
          if (!signal.aborted && text !== failing)
            logger.warn('a scan of the manifest folder was cut short', { error });
          failing = text;
        }
      };
      logger.info('the manifest folder is watched', { folder, namespace });
      await next();
      const stop = watchFolders([folder], next);
      await aborted(signal);
      await stop();
    },
  };
}
