import { lt, parse, type SemVer } from 'semver';

/** Whether one version directly follows the other, in either direction, or has the same minor. */
function isStep(one: SemVer, other: SemVer): boolean {
  const [lower, higher] = lt(one, other) ? [one, other] : [other, one];
  if (higher.major === lower.major) return higher.minor - lower.minor <= 1;
  return higher.major - lower.major === 1 && higher.minor === 0;
}

/** The next version on the way. */
function advice({ major, minor }: SemVer, own: SemVer): string {
  if (own.major > major) return `${major + 1}.0`;
  if (own.major === major && own.minor > minor) return `${major}.${minor + 1}`;
  return minor > 0 ? `${major}.${minor - 1}` : `the last ${major - 1}.x`;
}

/**
 * Versions are upgraded and rolled back one minor at a time (reference/packaging.md §8): what lies between may have
 * changed what is stored.
 * @param known version of the program that worked here last
 * @param own version of the program that wants to
 * @returns why it must not, and what to do; undefined when it may, or when one of the two is no version
 */
export function refuseStep(known: string, own: string): string | undefined {
  const [from, to] = [parse(known), parse(own)];
  if (from === null || to === null || isStep(from, to)) return undefined;
  return `version ${known} works here, and ${own} is not the next one: nothing was changed. Go to ${advice(from, to)} first, one minor version at a time`;
}
