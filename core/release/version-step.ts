import { lt, parse, type SemVer } from 'semver';

/** Whether one version directly follows the other, in either direction, or both have the same minor. */
function isStep(one: SemVer, other: SemVer): boolean {
  const [lower, higher] = lt(one, other) ? [one, other] : [other, one];
  if (higher.major === lower.major) return higher.minor - lower.minor <= 1;
  return higher.major - lower.major === 1 && higher.minor === 0;
}

/** The next version on the upgrade path. */
function advice({ major, minor }: SemVer, own: SemVer): string {
  if (own.major > major) return `${major + 1}.0`;
  if (own.major === major && own.minor > minor) return `${major}.${minor + 1}`;
  return minor > 0 ? `${major}.${minor - 1}` : `the last ${major - 1}.x`;
}

/**
 * Versions are upgraded and rolled back one minor at a time (packaging.md §8). A version in between may have changed
 * the stored data.
 * @param known version of the program that last ran here
 * @param own version of the program that is starting
 * @returns why it must not start, and what to do; undefined when it may, or when either text is not a version
 */
export function versionStepFault(known: string, own: string): string | undefined {
  const [from, to] = [parse(known), parse(own)];
  if (from === null || to === null || isStep(from, to)) return undefined;
  return `version ${known} works here, and ${own} is not the next one: nothing was changed. Go to ${advice(from, to)} first, one minor version at a time`;
}
