import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { checkDocument, type Resource } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { parseDocuments } from '../../core/manifest/parse-text.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import { checkManifestForPublication } from '../../core/publication/check-manifest.ts';
import { ruleUrl } from '../../core/publication/report-finding.ts';

/** The documents of one text, and the findings about them. */
export interface CheckedText {
  readonly documents: number;
  readonly findings: readonly Finding[];
}

/** How documents are checked. */
export interface CheckOptions {
  /** Exempt from the rules about hosts, as with `--egress-allow`. */
  readonly allowedOrigins: readonly string[];
  /** Whether manifests are also checked for publishing, with the ontology. */
  readonly publish: boolean;
}

function findingsOf(
  { manifest, namespace }: Resource & { readonly kind: 'Orb' },
  { allowedOrigins, publish }: CheckOptions,
): readonly Finding[] {
  const options = { namespace, allowedOrigins };
  if (!publish) return compileOrb(manifest, options).findings;
  const { schema, ontology } = checkManifestForPublication(manifest, options);
  return [...schema, ...ontology];
}

function checkValue(value: JsonValue, options: CheckOptions): readonly Finding[] {
  const document = checkDocument(value);
  if (!document.ok || document.value.kind !== 'Orb') return document.findings;
  const { pointer } = document.value;
  const found = findingsOf(document.value, options);
  return [...document.findings, ...found.map((finding) => ({ ...finding, pointer: `${pointer}${finding.pointer}` }))];
}

/** Checks every document of a text as the loader and the API do: envelope, schema, rules and templates. */
export function checkText(text: string, format: 'json' | 'yaml', options: CheckOptions): CheckedText {
  const documents = parseDocuments(text, format);
  const findings = documents.flatMap((document) =>
    document.ok ? document.withPlaces(checkValue(document.value, options)) : document.findings,
  );
  return { documents: documents.length, findings };
}

/** A finding for machines. With `publish`, it also says where the rule is explained, as the report of publishing does. */
export const findingValue = (
  file: string,
  finding: Finding,
  { publish }: Pick<CheckOptions, 'publish'>,
): JsonObject => ({
  file,
  ...finding,
  ...(publish ? { rule_url: ruleUrl(finding.code) } : {}),
});
