import { join } from 'node:path';

/**
 * Where standalone keeps the secrets of one Orbiset.
 * @param data the `--data` folder
 * @param namespace has no dot, so that the first one ends it
 */
export const vaultPath = (data: string, namespace: string, orbiset: string): string =>
  join(data, 'vault', `${namespace}.${orbiset}.yaml`);
