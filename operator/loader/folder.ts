import { basename } from 'node:path';
import type { ReadFile } from '../../adapters/manifest-folder/read-folder.ts';
import { readVolume } from '../../adapters/manifest-folder/read-volume.ts';
import { checkFile, type CheckedFile, type CheckFileOptions } from '../../core/loader/check-file.ts';

/** What one look found. */
export interface Look {
  /** In the order of their names; the same object as long as the file is the same. */
  readonly files: readonly CheckedFile[];
  /** Changes whenever a name comes to the folder or leaves it. */
  readonly stamp: string;
}

/** The manifest folder, as of its last look. */
export interface Folder {
  /**
   * Reads what has changed since the last look.
   * @throws the folder can't be read: nobody knows what it holds
   */
  readonly look: () => Promise<Look>;
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
    look: async () => {
      const volume = await readVolume(path, files);
      files = volume.files;
      return { files: files.map(check), stamp: volume.stamp };
    },
  };
}
