import type { SourceAuth, SourceFields, SourceHmac, SourceMapping } from '../../../crds/orbsignalsource.ts';
import type { VendorTemplate } from '../vendors/template.ts';
import type { HmacScheme, VerificationScheme } from '../verification/scheme.ts';

/** What a person pastes into the spec of a source of type `custom`, beside its own secrets. */
export interface CustomBlock {
  readonly type: 'custom';
  readonly auth: Omit<SourceAuth, 'secretRefs'>;
  readonly mapping: SourceMapping;
}

function hmacForm({ algorithm, encoding, prefix, separator, signedContent, pairs }: HmacScheme): SourceHmac {
  return {
    alg: algorithm,
    encoding,
    ...(prefix === '' ? {} : { prefix }),
    ...(separator === '' ? {} : { separator }),
    signedContent,
    ...(pairs === undefined ? {} : { pairs }),
  };
}

function authOf(scheme: VerificationScheme): CustomBlock['auth'] {
  switch (scheme.kind) {
    case 'hmac': {
      const { kind, signatureHeader, timestampHeader } = scheme;
      const timed = timestampHeader === undefined ? {} : { timestampHeader };
      return { scheme: kind, signatureHeader, ...timed, hmac: hmacForm(scheme) };
    }
    case 'ecdsa': {
      const { kind, signatureHeader, timestampHeader } = scheme;
      return { scheme: kind, signatureHeader, timestampHeader };
    }
    case 'header':
      return { scheme: scheme.kind, signatureHeader: scheme.header };
    case 'standardWebhooks':
    case 'bearer':
    case 'basic':
    case 'md5Token':
    case 'urlToken':
      return { scheme: scheme.kind };
    default:
      return scheme satisfies never;
  }
}

/** The first expression of each field. */
function fieldsOf({ fields }: VendorTemplate['mapping']): SourceFields {
  const entries = Object.entries(fields).flatMap(([name, sources]: readonly [string, readonly string[]]) =>
    sources.slice(0, 1).map((source) => [name, source] as const),
  );
  return Object.fromEntries(entries);
}

/** A ready block as the spec of a source of type `custom` writes it. */
export function customBlock({ scheme, mapping }: VendorTemplate): CustomBlock {
  const { items, kind } = mapping;
  return {
    type: 'custom',
    auth: authOf(scheme),
    mapping: { ...(items === undefined ? {} : { items }), kind, fields: fieldsOf(mapping) },
  };
}
