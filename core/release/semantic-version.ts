/** A version as semver.org 2.0.0 writes it. Numbers stay digits: they have no greatest one there. */
export interface SemanticVersion {
  readonly major: string;
  readonly minor: string;
  readonly patch: string;
  /** Parts of what follows `-`; none: a release. */
  readonly prerelease: readonly string[];
  /** Parts of what follows `+`. */
  readonly build: readonly string[];
}

const NUMBER = '(?:0|[1-9]\\d*)';
const PART = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const FORM = new RegExp(
  `^(?<major>${NUMBER})[.](?<minor>${NUMBER})[.](?<patch>${NUMBER})` +
    `(?:-(?<prerelease>${PART}(?:[.]${PART})*))?(?:[+](?<build>[0-9A-Za-z-]+(?:[.][0-9A-Za-z-]+)*))?$`,
);

const partsOf = (text: string | undefined): readonly string[] => text?.split('.') ?? [];

/** @returns undefined: the text is no version */
export function parseVersion(text: string): SemanticVersion | undefined {
  const found = FORM.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { major = '', minor = '', patch = '', prerelease, build } = found;
  return { major, minor, patch, prerelease: partsOf(prerelease), build: partsOf(build) };
}

const isDigits = (part: string): boolean => /^\d+$/.test(part);

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

/** Two numbers as digits, of any length. Builds may begin with zeros: the same number with more of them is another text. */
function compareDigits(one: string, other: string): number {
  const [a, b] = [withoutZeros(one), withoutZeros(other)];
  return a.length - b.length || compareTexts(a, b) || one.length - other.length;
}

/** A number is lower than a text. */
function compareParts(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [isDigits(one), isDigits(other)];
  if (isNumber && isOtherNumber) return compareDigits(one, other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return compareTexts(one, other);
}

/** Compares part by part, up to the first two that differ. If one list is the beginning of the other, it is the lower one. */
function compareLists(one: readonly string[], other: readonly string[]): number {
  for (const [at, part] of one.entries()) {
    const beside = other[at];
    const order = beside === undefined ? 1 : compareParts(part, beside);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

/** A release is higher than its prereleases. */
function comparePrereleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  return compareLists(one, other);
}

/** The precedence that semver.org defines. Negative: the first one is lower. Builds don't count. */
const comparePrecedence = (one: SemanticVersion, other: SemanticVersion): number =>
  compareDigits(one.major, other.major) ||
  compareDigits(one.minor, other.minor) ||
  compareDigits(one.patch, other.patch) ||
  comparePrereleases(one.prerelease, other.prerelease);

/**
 * Orders texts: by precedence, then by their builds, so that only versions of the same text are equal. What is no version
 * comes before every version.
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parseVersion(one), parseVersion(other)];
  if (a === undefined || b === undefined) {
    if (a === b) return compareTexts(one, other);
    return a === undefined ? -1 : 1;
  }
  return comparePrecedence(a, b) || compareLists(a.build, b.build);
}
