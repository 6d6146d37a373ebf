import type { Finding } from '../manifest/finding.ts';

/** A rule that publishing checks: how grave a breach is, and what it says in a list of the rules. */
interface Rule {
  readonly severity: Finding['severity'];
  readonly rule: string;
}

/** Every rule of the ontology, by the code of its finding (trust.md §8.2). A code is public and keeps its meaning. */
export const ONTOLOGY_RULES = {
  'ontology-unknown-term': {
    severity: 'error',
    rule: 'A term or a capability is not in this version, and it is not private.',
  },
  'ontology-deprecated-term': { severity: 'warning', rule: 'A term or a capability was replaced by another one.' },
  'ontology-no-capability': { severity: 'warning', rule: 'The manifest names no capability.' },
  'ontology-private-term': { severity: 'info', rule: 'A term or a capability is private.' },
  'ontology-term-type': { severity: 'error', rule: 'The type of an input or an output is none of its term.' },
  'ontology-effect-understated': { severity: 'error', rule: 'The effect is weaker than that of a capability.' },
  'ontology-missing-input': {
    severity: 'error',
    rule: 'No input has a term that a capability needs. A warning when the manifest uses no terms.',
  },
  'ontology-missing-output': {
    severity: 'error',
    rule: 'No output has a term that a capability needs. A warning when the manifest uses no terms.',
  },
  'ontology-effect-method': { severity: 'warning', rule: 'The method is GET or HEAD, and the Orb has an effect.' },
  'ontology-failover-unused': {
    severity: 'warning',
    rule: 'The Orb has an effect and fallbacks, and a provider has neither idempotent nor idempotency_header: no other provider is tried after a request was sent.',
  },
  'ontology-secret-input': {
    severity: 'error',
    rule: 'The term of an input is secret: a credential belongs in the vault.',
  },
  'ontology-secret-output': { severity: 'error', rule: 'The term of an output is secret.' },
} as const satisfies Readonly<Record<string, Rule>>;

/** Code of a finding of the ontology. */
export type OntologyCode = keyof typeof ONTOLOGY_RULES;
