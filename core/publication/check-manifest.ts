import type { JsonValue } from '../json/json-value.ts';
import { shortened } from '../manifest-rules/shortened.ts';
import { checkSchema } from '../manifest/check-schema.ts';
import type { Finding } from '../manifest/finding.ts';
import { checkOntology } from '../ontology/check-ontology.ts';
import { compileOrbSteps, type CompileOptions } from '../orb/compile-orb.ts';
import type { CompiledOrb } from '../orb/compiled-orb.ts';
import { toEnd, type Steps } from '../steps/steps.ts';

/** A manifest as the first two stages of publishing see it. */
export interface PublicationCheck {
  /** Present when it compiles. It can be published when no finding is an error. */
  readonly orb: CompiledOrb | undefined;
  /** Stage `schema`: codes `schema-<keyword>`. */
  readonly schema: readonly Finding[];
  /** Stage `ontology`: all other findings of `compileOrb`, and for a manifest of the right shape what the ontology says. */
  readonly ontology: readonly Finding[];
}

const isOfSchema = ({ code }: Finding): boolean => code.startsWith('schema-');

/**
 * Checks a manifest as publishing does, without anything from outside (trust.md §8, stages 1 and 2). Pointers are
 * relative to the manifest.
 * @param value a parsed manifest, at most 128 levels deep, without `pin`
 */
export const checkManifestForPublication = (value: JsonValue, options: CompileOptions): PublicationCheck =>
  toEnd(checkManifestSteps(value, options));

/** The same in pieces (`inspectManifestSteps`). */
export function* checkManifestSteps(value: JsonValue, options: CompileOptions): Steps<PublicationCheck> {
  const compiled = yield* compileOrbSteps(value, options);
  yield;
  const schema = compiled.findings.filter(isOfSchema);
  const shape = checkSchema('manifest', shortened(value));
  const others = compiled.findings.filter((finding) => !isOfSchema(finding));
  return {
    orb: compiled.ok ? compiled.value : undefined,
    schema,
    ontology: shape.ok ? [...others, ...checkOntology(shape.value)] : others,
  };
}
