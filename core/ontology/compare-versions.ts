import { entryOf, type Ontology } from './ontology.ts';

const TABLES = ['terms', 'capabilities'] as const;

/** Terms and capabilities of a version that a later one lacks. There must be none (trust.md §8.2). */
export const lostNames = (before: Ontology, after: Ontology): readonly string[] =>
  TABLES.flatMap((table) => Object.keys(before[table]).filter((name) => !Object.hasOwn(after[table], name)));

/** Names that an entry of a version refers to and that the version lacks. There must be none. */
export function danglingNames({ terms, capabilities }: Ontology): readonly string[] {
  const needed = Object.values(capabilities).flatMap(({ inputs, outputs }) => [...inputs, ...outputs]);
  const replacing = [...Object.values(terms), ...Object.values(capabilities)].flatMap(
    (entry) => entry.replaced_by ?? [],
  );
  const isReplacement = (name: string): boolean =>
    entryOf(terms, name) !== undefined || entryOf(capabilities, name) !== undefined;
  return [
    ...needed.filter((name) => entryOf(terms, name) === undefined),
    ...replacing.filter((name) => !isReplacement(name)),
  ];
}
