import { basename } from 'node:path';
import type { ReadFile } from '../../adapters/manifest-folder/read-folder.ts';
import { readVolume } from '../../adapters/manifest-folder/read-volume.ts';
import { checkFile, type CheckedFile, type CheckFileOptions } from '../../core/loader/check-file.ts';

/** Result of one scan of the folder. */
export interface Scan {
  /** Sorted by name. The same object is returned while the file stays the same. */
  readonly files: readonly CheckedFile[];
  /** Changes whenever a name is added to the folder or removed from it. */
  readonly stamp: string;
}

/** The manifest folder, as of its last scan. */
export interface Folder {
  /**
   * Reads the changes since the last scan.
   * @throws when the folder can't be read, so its content is unknown
   */
  readonly scan: () => Promise<Scan>;
}

export function openFolder(path: string, options: CheckFileOptions): Folder {
  let files: readonly ReadFile[] = [];
  const checked = new WeakMap<ReadFile, CheckedFile>();
  const check = (file: ReadFile): CheckedFile => {
    const known = checked.get(file) ?? checkFile(basename(file.path), file, options);
    checked.set(file, known);
    return known;
  };
  return {
    scan: async () => {
      const volume = await readVolume(path, files);
      files = volume.files;
      return { files: files.map(check), stamp: volume.stamp };
    },
  };
}
