/** `{org}.{name}@{semver}`, at most 253 characters; one path segment (design.md §2). */
export type OrbId = string & { readonly __brand: 'OrbId' };

export type ParsedOrbId =
  | { readonly ok: true; readonly value: OrbId }
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
 * @returns the branded id, or `orb-id-malformed`
 */
export const parseOrbId = (text: string): ParsedOrbId =>
  isOrbId(text) ? { ok: true, value: text } : { ok: false, code: 'orb-id-malformed', pointer: '' };
