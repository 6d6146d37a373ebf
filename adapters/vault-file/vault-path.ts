import { join } from 'node:path';

/**
 * File in which standalone keeps the secrets of one Orbiset.
 * @param data the `--data` folder
 * @param namespace has no dot, so the first dot ends it
 */
export const vaultPath = (data: string, namespace: string, orbiset: string): string =>
  join(data, 'vault', `${namespace}.${orbiset}.yaml`);
