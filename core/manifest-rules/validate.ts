import type { Manifest } from '../../crds/manifest.ts';
import type { JsonValue } from '../json/json-value.ts';
import { checkSchema } from '../manifest/check-schema.ts';
import { checkValues } from '../manifest/check-values.ts';
import type { Checked } from '../manifest/finding.ts';
import { adviseSwap } from './advise-swap.ts';
import { checkDefinitions } from './check-definitions.ts';
import { checkPlaceholders } from './check-placeholders.ts';
import { checkProviders } from './check-providers.ts';
import { checkSecretLiterals } from './check-secret-literals.ts';
import { checkSwap } from './check-swap.ts';
import { checkUrls } from './check-urls.ts';
import { shortened } from './shortened.ts';

const MAX_FINDINGS = 50;

export interface ManifestOptions {
  /** `scheme://host[:port]` of `--egress-allow` and `--egress-stub`: exempt from the rules about hosts. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Checks a manifest (design.md §2; trust.md §8.2 without terms and capabilities, which `checkOntology` checks). It
 * checks forbidden values first, then the schema, then the rules that a schema can't express. `compileRequest` checks
 * templates.
 * @param value a parsed manifest, at most 128 levels deep, without `pin`
 * @returns the same value, typed, with its warnings; only findings when one of them is an error
 */
export function checkManifest(value: JsonValue, options: ManifestOptions): Checked<Manifest> {
  const short = shortened(value);
  const values = checkValues(short).slice(0, MAX_FINDINGS);
  if (values.length > 0) return { ok: false, findings: values };
  const shape = checkSchema('manifest', short);
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
