import type { Finding } from '../manifest/finding.ts';

/** A folder inside the folder that holds manifests, which are not read. */
export const SKIPPED_FOLDER: Finding = {
  code: 'folder-skipped',
  pointer: '',
  detail: 'Folders inside the folder are not read: move these manifests one level up.',
  severity: 'info',
};
