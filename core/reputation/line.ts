/**
 * The line of a version: versions that share their evidence (trust.md §5.2). That is the name and the major version; below
 * 1.0.0, where each minor version may break its callers, also the minor version.
 * @param orbId `{org}.{name}@{semver}`
 * @returns for example `acme.echo@1` or `acme.echo@0.3`
 */
export function lineOf(orbId: string): string {
  const at = orbId.lastIndexOf('@');
  const [major = '', minor = ''] = orbId.slice(at + 1).split('.');
  return `${orbId.slice(0, at + 1)}${major === '0' ? `0.${minor}` : major}`;
}

/** The organisation of an Orb: the first label of its id. */
export const orgOf = (orbId: string): string => orbId.slice(0, orbId.indexOf('.'));
