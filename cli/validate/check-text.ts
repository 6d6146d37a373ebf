import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { checkDocument, type Resource } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { parseDocuments } from '../../core/manifest/parse-text.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';

/** The documents of one text, and the findings about them. */
export interface CheckedText {
  readonly documents: number;
  readonly findings: readonly Finding[];
}

const compile = (
  resource: Resource & { readonly kind: 'Orb' },
  allowedOrigins: readonly string[],
): readonly Finding[] => {
  const { manifest, pointer, namespace } = resource;
  const { findings } = compileOrb(manifest, { namespace, allowedOrigins });
  return findings.map((finding) => ({ ...finding, pointer: `${pointer}${finding.pointer}` }));
};

function checkValue(value: JsonValue, allowedOrigins: readonly string[]): readonly Finding[] {
  const document = checkDocument(value);
  if (!document.ok || document.value.kind !== 'Orb') return document.findings;
  return [...document.findings, ...compile(document.value, allowedOrigins)];
}

/**
 * Checks every document of a text as the loader and the API do: envelope, schema, rules and templates.
 * @param allowedOrigins exempt from the rules about hosts, as with `--egress-allow`
 */
export function checkText(text: string, format: 'json' | 'yaml', allowedOrigins: readonly string[]): CheckedText {
  const documents = parseDocuments(text, format);
  const findings = documents.flatMap((document) =>
    document.ok ? document.withPlaces(checkValue(document.value, allowedOrigins)) : document.findings,
  );
  return { documents: documents.length, findings };
}

/** A finding for machines. */
export const findingValue = (file: string, finding: Finding): JsonObject => ({ file, ...finding });
