import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { Finding } from '../../manifest/finding.ts';
import { ORB_FACTS } from '../facts/orb-facts.ts';
import type { CompiledPolicy, PolicyEngine, PolicySource } from '../language/port.ts';
import { toEnd, type Steps } from '../../steps/steps.ts';
import { definePolicy, type PolicyDefinition } from './definition.ts';
import { lintDocument } from './lint-document.ts';

/** A policy that was compiled, or what has to be written in another way. Warnings come with both. */
export type CompiledDocument = {
  readonly definition: PolicyDefinition;
  readonly findings: readonly Finding[];
} & ({ readonly ok: true; readonly compiled: CompiledPolicy } | { readonly ok: false });

/** A policy whose document passed the schema. */
export interface WrittenPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly spec: OrbPolicySpec;
}

const sourceOf = ({ digest, phases, spec }: PolicyDefinition): PolicySource => ({
  digest,
  phases,
  inputFacts: spec.inputFacts,
  variables: spec.variables,
  rules: spec.rules,
  exceptedRules: spec.exceptions.map(({ rule }) => rule),
});

/**
 * Compiles and lints a policy whose document passed the schema. Pure; never throws. Tests are run by `runPolicyTests`.
 * @param now ms since the epoch, for the ends of exceptions alone
 */
export const compileDocument = (policy: WrittenPolicy, now: number, engine: PolicyEngine): CompiledDocument =>
  toEnd(compileDocumentSteps(policy, now, engine));

/** The same in pieces of a few milliseconds. */
export function* compileDocumentSteps(
  { namespace, name, spec }: WrittenPolicy,
  now: number,
  engine: PolicyEngine,
): Steps<CompiledDocument> {
  const definition = definePolicy(namespace, name, spec);
  yield;
  const linted = lintDocument(definition, now);
  const result = yield* engine.compileSteps(sourceOf(definition), ORB_FACTS);
  const findings = [...linted, ...result.findings];
  const isRefused = linted.some(({ severity }) => severity === 'error');
  return result.ok && !isRefused
    ? { ok: true, definition, compiled: result.policy, findings }
    : { ok: false, definition, findings };
}
