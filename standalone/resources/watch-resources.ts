import type { DataFolder } from '../data-folder.ts';
import type { Platform } from '../../api-server/process/platform.ts';
import type { Settings } from '../settings.ts';
import { OrbisetSync } from './orbiset-sync.ts';
import { OrbSync, reportFindings } from './orb-sync.ts';
import { readFolder, type ReadFile } from '../../adapters/manifest-folder/read-folder.ts';
import { ResourceSet } from './resource-set.ts';
import { watchFolders } from '../../adapters/manifest-folder/watch-folder.ts';

/** Origins that the host lints let pass: what the person who runs the platform excepted. */
const originsOf = ({ exceptions }: Platform): readonly string[] => exceptions.map(({ origin }) => origin);

/**
 * Loads the folder of resources and the vault files, and follows their changes.
 * @returns a function that stops it; when the first look is over, everything valid is in the catalogue
 */
export async function watchResources(
  settings: Settings,
  folder: DataFolder,
  platform: Platform,
): Promise<() => Promise<void>> {
  const { catalog, clock, ledger, log, metrics, runtime } = platform;
  const { logger, addRedactor, removeRedactor } = log;
  const set = new ResourceSet();
  const orbs = new OrbSync({ catalog, ledger, logger, metrics, clock, allowedOrigins: originsOf(platform) });
  const suspend = (orbiset: string): void => {
    const runs = runtime.inFlight.kill(orbiset, 'orbiset-suspended');
    logger.warn('the Orbiset was suspended', { orbiset, runs_ended: runs });
  };
  const orbisets = new OrbisetSync({
    catalog,
    ledger,
    logger,
    vault: folder.vault,
    addRedactor,
    removeRedactor,
    suspend,
  });
  let failing = '';
  let seen: readonly ReadFile[] | undefined;
  const look = async (): Promise<void> => {
    try {
      const files = await readFolder(settings.resources, seen);
      const same =
        seen !== undefined && files.length === seen.length && files.every((file, index) => file === seen?.[index]);
      if (!(await orbisets.vaultChanged()) && same) return;
      const { resources, reports, unread } = set.update(files);
      for (const { file, findings } of reports) reportFindings(logger, file, findings);
      const placed = [...resources.values()];
      await orbisets.update(placed, unread);
      await orbs.update(placed, unread);
      seen = files;
      failing = '';
    } catch (error) {
      // What was loaded stays; said once, not at every look.
      const text = String(error);
      if (text !== failing) logger.error('the resources could not be read', { folder: settings.resources, error });
      failing = text;
    }
  };
  await look();
  return watchFolders([settings.resources, folder.vault], look);
}
