import type { Manifest, OutputDefinition, ValueType } from '../../crds/manifest.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';
import { findingOf, nameFindings } from './finding-of.ts';
import { entryOf, type Ontology } from './ontology.ts';

/** A hostile manifest has a thousand unknown terms, and each is compared with every known one. */
const MAX_ERRORS = 50;

/** An input or an output that has a term. */
interface Use {
  /** Place of its definition. */
  readonly pointer: string;
  readonly side: 'input' | 'output';
  readonly term: string;
  /** Whether the definition at the place names the term itself. */
  readonly isOwnTerm: boolean;
  readonly type: ValueType;
  readonly isOwnType: boolean;
}

type Definition = Pick<OutputDefinition, 'type' | 'term'>;

/** @param base the definition that this one changes; for an input and an output of the Orb the same one */
function useOf(side: Use['side'], pointer: string, own: Definition, base: Definition): readonly Use[] {
  const term = own.term ?? base.term;
  if (term === undefined || (own.term === undefined && own.type === undefined)) return [];
  const type = own.type ?? base.type ?? 'string';
  return [{ pointer, side, term, isOwnTerm: own.term !== undefined, type, isOwnType: own.type !== undefined }];
}

function usesOf({ inputs, outputs, providers = {} }: Manifest): readonly Use[] {
  const ofProviders = Object.entries(providers).flatMap(([provider, { outputs: changed = {} }]) =>
    Object.entries(changed).flatMap(([name, own]) => {
      const pointer = childPointer(`${childPointer('/providers', provider)}/outputs`, name);
      return useOf('output', pointer, own, entryOf(outputs, name) ?? {});
    }),
  );
  return [
    ...Object.entries(inputs).flatMap(([name, own]) => useOf('input', childPointer('/inputs', name), own, own)),
    ...Object.entries(outputs).flatMap(([name, own]) => useOf('output', childPointer('/outputs', name), own, own)),
    ...ofProviders,
  ];
}

function typeFindings({ pointer, term, type, isOwnType }: Use, types: readonly ValueType[]): readonly Finding[] {
  if (types.includes(type)) return [];
  const detail = `A value of the term "${term}" is of type ${types.join(' or ')}, and this one is of type ${type}.`;
  return [findingOf('ontology-term-type', { pointer: `${pointer}/${isOwnType ? 'type' : 'term'}`, detail })];
}

const SECRET: Readonly<Record<Use['side'], string>> = {
  input:
    'Callers must not pass secrets: put the credential into the vault, and write {{orbiset.secrets.NAME}} where the request needs it.',
  output: 'An Orb must not return secrets: every caller would see it. Remove the output.',
};

function findingsOf(use: Use, ontology: Ontology): readonly Finding[] {
  const { pointer, side, term: name } = use;
  const place = `${pointer}/term`;
  const names = use.isOwnTerm ? nameFindings({ name, pointer: place }, ontology.terms) : [];
  const term = entryOf(ontology.terms, name);
  if (term === undefined) return names;
  const secret =
    term.sensitivity === 'secret' && use.isOwnTerm
      ? [findingOf(`ontology-secret-${side}`, { pointer: place, detail: SECRET[side] })]
      : [];
  return [...names, ...typeFindings(use, term.types), ...secret];
}

/**
 * Checks the terms of inputs and outputs, also of the outputs that a provider changes (trust.md §8.2):
 * `ontology-unknown-term`, `ontology-deprecated-term`, `ontology-private-term`, `ontology-term-type`,
 * `ontology-secret-input`, `ontology-secret-output`.
 */
export function checkTerms(manifest: Manifest, ontology: Ontology): readonly Finding[] {
  const findings: Finding[] = [];
  let errors = 0;
  for (const use of usesOf(manifest)) {
    const found = findingsOf(use, ontology);
    findings.push(...found);
    errors += found.filter(({ severity }) => severity === 'error').length;
    if (errors >= MAX_ERRORS) break;
  }
  return findings;
}
