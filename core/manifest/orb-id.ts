/** `{org}.{name}@{semver}`, at most 253 characters; one path segment (design.md §2). */
export type OrbId = string & { readonly __brand: 'OrbId' };

/** An Orb id with its parts. */
interface OrbIdParts {
  readonly id: OrbId;
  /** Up to the first dot: lower-case letters, digits and inner hyphens. */
  readonly org: string;
  /** Between the first dot and `@`: may hold dots. */
  readonly name: string;
  /** SemVer 2.0.0, with prerelease and build metadata if the id has them. */
  readonly version: string;
}

export type ParsedOrbId =
  | { readonly ok: true; readonly value: OrbIdParts }
  | { readonly ok: false; readonly code: 'orb-id-malformed'; readonly pointer: '' };

// The limit of Kubernetes names, which also fits a label of the log and a path segment.
const MAX_LENGTH = 253;
const ORG = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const NAME = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const NUMBER = '(?:0|[1-9][0-9]*)';
const PRERELEASE = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const SEMVER = `${NUMBER}[.]${NUMBER}[.]${NUMBER}(?:-${PRERELEASE}(?:[.]${PRERELEASE})*)?(?:[+][0-9A-Za-z-]+(?:[.][0-9A-Za-z-]+)*)?`;
const ORB_ID = new RegExp(`^${ORG}[.]${NAME}@${SEMVER}$`);

const isOrbId = (text: string): text is OrbId => text.length <= MAX_LENGTH && ORB_ID.test(text);

/**
 * Parses an Orb id (design.md §2). Ids are not normalised: equal ids are equal strings.
 * @returns the branded id with its parts, or `orb-id-malformed`
 */
export function parseOrbId(text: string): ParsedOrbId {
  if (!isOrbId(text)) return { ok: false, code: 'orb-id-malformed', pointer: '' };
  const dot = text.indexOf('.');
  const at = text.indexOf('@');
  const value = { id: text, org: text.slice(0, dot), name: text.slice(dot + 1, at), version: text.slice(at + 1) };
  return { ok: true, value };
}
