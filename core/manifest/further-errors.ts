import type { Finding } from './finding.ts';

/** One finding a place is enough. */
const keyOf = ({ pointer, line }: Finding): string => `${pointer} ${line ?? ''}`;

/** About the name of a member: true of any value. */
const UNKNOWN_MEMBER = 'schema-additionalProperties';

/**
 * The errors of a refused document that do not follow from what is said already: a value that was refused has no type,
 * for example. Warnings may come from what was refused.
 */
export function furtherErrors(said: readonly Finding[], findings: readonly Finding[]): readonly Finding[] {
  const places = new Set(said.map(keyOf));
  const unknown = new Set(said.filter(({ code }) => code === UNKNOWN_MEMBER).map(keyOf));
  return findings.filter(
    (finding) =>
      finding.severity === 'error' && !(finding.code === UNKNOWN_MEMBER ? unknown : places).has(keyOf(finding)),
  );
}
