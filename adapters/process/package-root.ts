import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Folder of the checkout or the installed package. A compiled build of this file lies one folder deeper, below `dist/`.
 */
export function packageRoot(): string {
  const parent = resolve(import.meta.dirname, '../..');
  return existsSync(join(parent, 'package.json')) ? parent : resolve(parent, '..');
}

/** Version of the package; `0.0.0` when its package.json has none. */
export function packageVersion(): string {
  const value: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  return typeof version === 'string' ? version : '0.0.0';
}
