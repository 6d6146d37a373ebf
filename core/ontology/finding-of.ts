import type { Finding } from '../manifest/finding.ts';
import { entryOf, isPrivateName, type Ontology } from './ontology.ts';
import { suggestName } from './suggest-name.ts';

/** Makes a finding; without a suggestion the member is absent. */
export function findingOf(
  severity: Finding['severity'],
  code: `ontology-${string}`,
  { pointer, detail, suggestion }: Pick<Finding, 'pointer' | 'detail'> & { readonly suggestion?: string | undefined },
): Finding {
  return { code, pointer, detail, severity, ...(suggestion === undefined ? {} : { suggestion }) };
}

function unknownName(name: string, pointer: string, known: readonly string[]): Finding {
  const suggestion = suggestName(name, known);
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const detail = `This version of the ontology has no such name.${hint} A name of your own is x-<org>.<term>.`;
  return findingOf('error', 'ontology-unknown-term', { pointer, detail, suggestion });
}

/** What is to be said about the name of a term or a capability: private, unknown or deprecated. */
export function nameFindings(
  { name, pointer }: { readonly name: string; readonly pointer: string },
  table: Ontology['terms'] | Ontology['capabilities'],
): readonly Finding[] {
  if (isPrivateName(name)) {
    const detail = 'A private name: nobody else knows what it means, and no rule checks its use.';
    return [findingOf('info', 'ontology-private-term', { pointer, detail })];
  }
  const entry = entryOf<Ontology['terms'][string] | Ontology['capabilities'][string]>(table, name);
  if (entry === undefined) return [unknownName(name, pointer, Object.keys(table))];
  if (entry.deprecated !== true) return [];
  const suggestion = entry.replaced_by;
  const detail = `"${name}" is deprecated${suggestion === undefined ? '' : `; write "${suggestion}"`}.`;
  return [findingOf('warning', 'ontology-deprecated-term', { pointer, detail, suggestion })];
}
