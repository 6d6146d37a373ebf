import type { Manifest } from '../../crds/manifest.ts';
import type { JsonValue } from '../json/json-value.ts';
import { schemaChecks } from './check-schema.ts';
import type { Checked } from './finding.ts';
import { adviseSwap } from './rules/advise-swap.ts';
import { checkDefinitions } from './rules/check-definitions.ts';
import { checkPlaceholders } from './rules/check-placeholders.ts';
import { checkProviders } from './rules/check-providers.ts';
import { checkSecretLiterals } from './rules/check-secret-literals.ts';
import { checkSwap } from './rules/check-swap.ts';
import { checkUrls } from './rules/check-urls.ts';
import { checkValues } from './rules/check-values.ts';

const MAX_FINDINGS = 50;

export interface ManifestOptions {
  /** `scheme://host[:port]` of `--egress-allow` and `--egress-stub`: exempt from the rules about hosts. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Checks a manifest (design.md §2; trust.md §8.2 without the ontology): values that stand nowhere, then the schema, then
 * the rules that a schema can't say. Templates are checked by `compileRequest`.
 * @param value a parsed manifest, at most 128 levels deep, without `pin`
 * @returns the same value, typed; warnings stand beside it, and any error keeps it from being used
 */
export function checkManifest(value: JsonValue, options: ManifestOptions): Checked<Manifest> {
  const values = checkValues(value).slice(0, MAX_FINDINGS);
  if (values.length > 0) return { ok: false, findings: values };
  const shape = schemaChecks.manifest(value);
  if (!shape.ok) return shape;
  const manifest = shape.value;
  const findings = [
    ...checkUrls(manifest, options.allowedOrigins),
    ...checkPlaceholders(manifest),
    ...checkDefinitions(manifest),
    ...checkProviders(manifest),
    ...checkSwap(manifest),
    ...adviseSwap(manifest),
    ...checkSecretLiterals(manifest),
  ];
  if (findings.some(({ severity }) => severity === 'error')) return { ok: false, findings };
  return { ok: true, value: manifest, findings };
}
