import type { OrbSignalSourceSpec, SourceAuth, SourceHmac } from '../../../crds/orbsignalsource.ts';
import { GRAFANA, grafanaWithTimestamp, TOKEN_HEADER } from '../vendors/schemes.ts';
import { VENDORS } from '../vendors/vendors.ts';
import type { EcdsaScheme, HmacScheme, VerificationScheme } from '../verification/scheme.ts';

export type SourceType = OrbSignalSourceSpec['type'];

type SchemeName = VerificationScheme['kind'];

const typeScheme = (type: SourceType): VerificationScheme | undefined =>
  type === 'custom' ? undefined : VENDORS[type].scheme;

/** The scheme that a source asks for, or that of its type; undefined for type custom without one. */
export const schemeNameOf = ({ type, auth }: Pick<OrbSignalSourceSpec, 'type' | 'auth'>): SchemeName | undefined =>
  auth.scheme ?? typeScheme(type)?.kind;

/** The form of an HMAC that the type itself brings. */
export function typeHmac(type: SourceType): HmacScheme | undefined {
  const scheme = typeScheme(type);
  return scheme?.kind === 'hmac' ? scheme : undefined;
}

function customHmac(signatureHeader: string, form: SourceHmac = {}, timestampHeader?: string): HmacScheme {
  const { alg = 'sha256', encoding = 'hex', prefix = '', separator = '', signedContent = '{body}', pairs } = form;
  return {
    kind: 'hmac',
    algorithm: alg,
    encoding,
    prefix,
    separator,
    signedContent,
    signatureHeader,
    ...(timestampHeader === undefined ? {} : { timestampHeader }),
    ...(pairs === undefined ? {} : { pairs }),
  };
}

function hmacOf(type: SourceType, { signatureHeader, timestampHeader, hmac }: SourceAuth): HmacScheme | undefined {
  if (type === 'custom')
    return signatureHeader === undefined ? undefined : customHmac(signatureHeader, hmac, timestampHeader);
  const own =
    type === 'grafana' && timestampHeader !== undefined ? grafanaWithTimestamp(timestampHeader) : typeHmac(type);
  const form = own ?? (signatureHeader === undefined ? undefined : GRAFANA);
  return form && { ...form, signatureHeader: signatureHeader ?? form.signatureHeader };
}

const ecdsaOf = ({ signatureHeader, timestampHeader }: SourceAuth): EcdsaScheme | undefined =>
  signatureHeader === undefined || timestampHeader === undefined
    ? undefined
    : { kind: 'ecdsa', signatureHeader, timestampHeader };

/** @returns undefined when a header or the scheme is missing */
export function schemeOf({ type, auth }: Pick<OrbSignalSourceSpec, 'type' | 'auth'>): VerificationScheme | undefined {
  const kind = schemeNameOf({ type, auth });
  if (kind === undefined) return undefined;
  if (kind === 'hmac') return hmacOf(type, auth);
  if (kind === 'ecdsa') return ecdsaOf(auth);
  return kind === 'header' ? { kind, header: auth.signatureHeader ?? TOKEN_HEADER } : { kind };
}
