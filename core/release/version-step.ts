import { compareVersions, parseVersion } from './semantic-version.ts';

/** Major and minor version of a program. */
interface Minor {
  readonly major: number;
  readonly minor: number;
}

function minorOf(version: string): Minor | undefined {
  const parsed = parseVersion(version);
  return parsed === undefined ? undefined : { major: Number(parsed.major), minor: Number(parsed.minor) };
}

/** Whether the higher version directly follows the lower one, or has the same minor. */
function isStep(lower: Minor, higher: Minor): boolean {
  if (higher.major === lower.major) return higher.minor - lower.minor <= 1;
  return higher.major - lower.major === 1 && higher.minor === 0;
}

/** The next version on the upgrade path. */
function advice({ major, minor }: Minor, own: Minor): string {
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
  const [from, to] = [minorOf(known), minorOf(own)];
  if (from === undefined || to === undefined) return undefined;
  if (compareVersions(known, own) < 0 ? isStep(from, to) : isStep(to, from)) return undefined;
  return `version ${known} works here, and ${own} is not the next one: nothing was changed. Go to ${advice(from, to)} first, one minor version at a time`;
}
