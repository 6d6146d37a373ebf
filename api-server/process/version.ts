import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Version of this program, from its package. @param root folder of the package */
export function versionOf(root: string): string {
  const value: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  return typeof version === 'string' ? version : '0.0.0';
}
