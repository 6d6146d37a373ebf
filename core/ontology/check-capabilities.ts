import type { Manifest } from '../../crds/manifest.ts';
import type { Finding } from '../manifest/finding.ts';
import { findingOf, nameFindings } from './finding-of.ts';
import { entryOf, type Capability, type Ontology } from './ontology.ts';

type Side = 'input' | 'output';
type Declared = Readonly<Record<Side, ReadonlySet<string>>>;

/** The terms that a manifest declares. A deprecated one counts as the one that replaced it, too. */
function declaredIn({ inputs, outputs }: Manifest, { terms }: Ontology): Declared {
  const termsOf = (definitions: readonly { readonly term?: string }[]): ReadonlySet<string> =>
    new Set(
      definitions.flatMap(({ term }) => (term === undefined ? [] : [term, entryOf(terms, term)?.replaced_by ?? term])),
    );
  return { input: termsOf(Object.values(inputs)), output: termsOf(Object.values(outputs)) };
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(' and ');

/** Without any term, a manifest was written before there was an ontology: then this is advice only. */
function missing(
  { name, pointer, needed }: { readonly name: string; readonly pointer: string; readonly needed: readonly string[] },
  side: Side,
  declared: Declared,
): readonly Finding[] {
  const lacking = needed.filter((term) => !declared[side].has(term));
  if (lacking.length === 0) return [];
  const usesTerms = declared.input.size + declared.output.size > 0;
  const what = `an ${side} with the term ${quoted(lacking)}`;
  const detail = `"${name}" needs ${what}: write it at the ${side} that holds it, or remove the capability.`;
  const advice = usesTerms ? {} : ({ severity: 'warning' } as const);
  return [findingOf(`ontology-missing-${side}`, { pointer, detail, ...advice })];
}

function ofCapability(
  place: { readonly name: string; readonly pointer: string },
  { inputs, outputs }: Capability,
  declared: Declared,
): readonly Finding[] {
  return [
    ...missing({ ...place, needed: inputs }, 'input', declared),
    ...missing({ ...place, needed: outputs }, 'output', declared),
  ];
}

/**
 * Checks the capabilities, and the terms that they need (trust.md §8.2): `ontology-no-capability`,
 * `ontology-unknown-term`, `ontology-deprecated-term`, `ontology-private-term`, `ontology-missing-input`,
 * `ontology-missing-output`.
 */
export function checkCapabilities(manifest: Manifest, ontology: Ontology): readonly Finding[] {
  const { capabilities = [] } = manifest;
  if (capabilities.length === 0) {
    const detail = 'Say what the Orb does with a capability of the ontology: lists find it by that.';
    return [findingOf('ontology-no-capability', { pointer: '/capabilities', detail })];
  }
  const declared = declaredIn(manifest, ontology);
  return capabilities.flatMap((name, index) => {
    const place = { name, pointer: `/capabilities/${index}` };
    const capability = entryOf(ontology.capabilities, name);
    const needs = capability === undefined ? [] : ofCapability(place, capability, declared);
    return [...nameFindings(place, ontology.capabilities), ...needs];
  });
}
