import { nearestName } from '../manifest/nearest.ts';

/** A file or an object that gives no Orb, because it is not valid. */
export interface InvalidSource {
  /** Tenant whose Orb it would be. */
  readonly namespace: string;
  /** Where a person finds it: `mail.yaml:12`, or `Orb acme/mail`. */
  readonly place: string;
  /** What it seems to have as `orb_id`, as it is written; may be malformed. Empty: nothing was found. */
  readonly ids: readonly string[];
  /** Its first fault, with what to do. Names places and codes, never values. */
  readonly fault: string;
}

// The text is not valid, so it is searched like this and not parsed.
const ORB_ID = /(?:^|[\s{,])(?:"orb_id"|'orb_id'|orb_id)[ \t]*:[ \t]*["']?([^\s"',}]{1,253})/g;
const MAX_IDS = 64;

/** The values that follow `orb_id:` in a text that can't be parsed. At most 64. */
export function orbIdsIn(text: string): readonly string[] {
  const ids = new Set<string>();
  for (const [, id = ''] of text.matchAll(ORB_ID)) if (ids.size < MAX_IDS) ids.add(id);
  return [...ids];
}

/** `acme.mail` of `acme.mail@1.0.0`, and of `acme.mail@1`, which is malformed. */
export const nameOfId = (orbId: string): string => {
  const at = orbId.indexOf('@');
  return at < 0 ? orbId : orbId.slice(0, at);
};

const MAX_SHOWN = 3;

/**
 * The sources that may be the Orb that a caller named: those of this id; else of this name; else of a near name; else those whose
 * id nobody can read. At most 3.
 */
export function sourcesOf(orbId: string, sources: readonly InvalidSource[]): readonly InvalidSource[] {
  const name = nameOfId(orbId);
  const isNear = (id: string): boolean => nearestName(name, [nameOfId(id)]) !== undefined;
  const tests: readonly ((source: InvalidSource) => boolean)[] = [
    ({ ids }) => ids.includes(orbId),
    ({ ids }) => ids.some((id) => nameOfId(id) === name),
    ({ ids }) => ids.some(isNear),
    ({ ids }) => ids.length === 0,
  ];
  for (const test of tests) {
    const found = sources.filter(test);
    if (found.length > 0) return found.slice(0, MAX_SHOWN);
  }
  return [];
}
