import type { Manifest } from '../../crds/manifest.ts';
import type { JsonValue } from '../json/json-value.ts';
import { lookup, parsePointer } from '../json/pointer.ts';
import { checkSchema } from '../manifest/check-schema.ts';
import { checkValues, withoutForbidden } from '../manifest/check-values.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import { furtherErrors } from '../manifest/further-errors.ts';
import { toEnd, type Steps } from '../steps/steps.ts';
import { adviseFrom } from './advise-from.ts';
import { adviseSwap } from './advise-swap.ts';
import { checkDefinitions } from './check-definitions.ts';
import { checkPlaceholders } from './check-placeholders.ts';
import { checkProviders } from './check-providers.ts';
import { checkSecretLiterals } from './check-secret-literals.ts';
import { checkSwap } from './check-swap.ts';
import { checkUrls } from './check-urls.ts';
import { mendShape } from './mend-shape.ts';
import { shortened } from './shortened.ts';

const MAX_FINDINGS = 50;

export interface ManifestOptions {
  /** `scheme://host[:port]` of `--egress-allow` and `--egress-stub`: exempt from the rules about hosts. */
  readonly allowedOrigins: readonly string[];
}

/** What is known about a manifest, also when it can't be used. */
export interface InspectedManifest {
  /** The same value, typed; with an error of its schema, a mended copy that only serves to check the rest. Absent: neither. */
  readonly manifest: Manifest | undefined;
  /** Whether `manifest` is the value itself. */
  readonly isWhole: boolean;
  readonly findings: readonly Finding[];
}

const isError = ({ severity }: Finding): boolean => severity === 'error';

const RULES: readonly ((manifest: Manifest, options: ManifestOptions) => readonly Finding[])[] = [
  (manifest, { allowedOrigins }) => checkUrls(manifest, allowedOrigins),
  checkPlaceholders,
  checkDefinitions,
  checkProviders,
  checkSwap,
  adviseSwap,
  checkSecretLiterals,
];

/** A step for each rule. */
function* ruleSteps(manifest: Manifest, options: ManifestOptions): Steps<readonly Finding[]> {
  const found: (readonly Finding[])[] = [];
  for (const rule of RULES) {
    yield;
    found.push(rule(manifest, options));
  }
  return found.flat();
}

const FROM = /^(?:\/providers\/[^/]+)?\/outputs\/[^/]+\/from$/;

/** The finding about a `from` that is no pointer also says which one to write. */
function withPointer(value: JsonValue, finding: Finding): Finding {
  if (finding.code !== 'schema-pattern' || !FROM.test(finding.pointer)) return finding;
  const from = lookup(value, parsePointer(finding.pointer) ?? []);
  return typeof from === 'string' ? { ...finding, ...adviseFrom(from) } : finding;
}

/** The findings of the schema, and in one pass with them the errors of everything that has the right shape. */
function* inspectWrongShape(
  value: JsonValue,
  shape: readonly Finding[],
  options: ManifestOptions,
): Steps<InspectedManifest> {
  yield;
  const manifest = mendShape(value, shape);
  const others = manifest === undefined ? [] : (yield* ruleSteps(manifest, options)).filter(isError);
  const said = shape.map((finding) => withPointer(value, finding));
  return { manifest, isWhole: false, findings: [...said, ...others] };
}

/** The same for a manifest with forbidden values: the rest of it is checked without them. */
function* inspectForbidden(
  short: JsonValue,
  values: readonly Finding[],
  options: ManifestOptions,
): Steps<InspectedManifest> {
  const value = withoutForbidden(short);
  const shape = checkSchema('manifest', value);
  const { manifest, findings } = yield* inspectWrongShape(value, shape.findings, options);
  return { manifest, isWhole: false, findings: [...values, ...furtherErrors(values, findings)] };
}

/**
 * Checks a manifest (design.md §2; trust.md §8.2 without terms and capabilities, which `checkOntology` checks). It
 * checks forbidden values first, then the schema, then the rules that a schema can't express. `compileRequest` checks
 * templates. In pieces: a hostile manifest takes some ten milliseconds in all.
 * @param value a parsed manifest, at most 128 levels deep, without `pin`
 */
export function* inspectManifestSteps(value: JsonValue, options: ManifestOptions): Steps<InspectedManifest> {
  const short = shortened(value);
  const values = checkValues(short).slice(0, MAX_FINDINGS);
  if (values.length > 0) return yield* inspectForbidden(short, values, options);
  yield;
  const shape = checkSchema('manifest', short);
  if (!shape.ok) return yield* inspectWrongShape(short, shape.findings, options);
  return { manifest: shape.value, isWhole: true, findings: yield* ruleSteps(shape.value, options) };
}

/**
 * Decides about a manifest by `inspectManifestSteps`, at once.
 * @returns the same value, typed, with its warnings; only findings when one of them is an error
 */
export function checkManifest(value: JsonValue, options: ManifestOptions): Checked<Manifest> {
  const { manifest, isWhole, findings } = toEnd(inspectManifestSteps(value, options));
  if (manifest === undefined || !isWhole || findings.some(isError)) return { ok: false, findings };
  return { ok: true, value: manifest, findings };
}
