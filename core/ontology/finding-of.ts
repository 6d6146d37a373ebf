import type { Finding } from '../manifest/finding.ts';
import { entryOf, isPrivateName, type Ontology } from './ontology.ts';
import { ONTOLOGY_RULES, type OntologyCode } from './rules.ts';
import { suggestName } from './suggest-name.ts';

type Said = Pick<Finding, 'pointer' | 'detail'> & {
  readonly suggestion?: string | undefined;
  /** Where it differs from that of the rule. */
  readonly severity?: Finding['severity'];
};

/** Makes a finding of a rule; without a suggestion the member is absent. */
export function findingOf(code: OntologyCode, { pointer, detail, suggestion, severity }: Said): Finding {
  const finding = { code, pointer, detail, severity: severity ?? ONTOLOGY_RULES[code].severity };
  return suggestion === undefined ? finding : { ...finding, suggestion };
}

function unknownName(name: string, pointer: string, known: readonly string[]): Finding {
  const suggestion = suggestName(name, known);
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const detail = `This version of the ontology has no such name.${hint} A name of your own is x-<org>.<term>.`;
  return findingOf('ontology-unknown-term', { pointer, detail, suggestion });
}

/** What is to be said about the name of a term or a capability: private, unknown or deprecated. */
export function nameFindings(
  { name, pointer }: { readonly name: string; readonly pointer: string },
  table: Ontology['terms'] | Ontology['capabilities'],
): readonly Finding[] {
  if (isPrivateName(name)) {
    const detail = 'A private name: nobody else knows what it means, and no rule checks its use.';
    return [findingOf('ontology-private-term', { pointer, detail })];
  }
  const entry = entryOf<Ontology['terms'][string] | Ontology['capabilities'][string]>(table, name);
  if (entry === undefined) return [unknownName(name, pointer, Object.keys(table))];
  if (entry.deprecated !== true) return [];
  const suggestion = entry.replaced_by;
  const detail = `"${name}" is deprecated${suggestion === undefined ? '' : `; write "${suggestion}"`}.`;
  return [findingOf('ontology-deprecated-term', { pointer, detail, suggestion })];
}
