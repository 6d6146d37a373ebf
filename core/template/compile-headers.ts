import { positions, type RefusalCode } from './position.ts';
import { escapeToken, type Scope } from './scope.ts';
import { accept, type Span } from './span.ts';

/** One header in manifest order; the name as written. */
export interface CompiledHeader {
  readonly name: string;
  readonly value: Span;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Headers that frame a message, choose its receiver or the coding of its answer: only the dialer sets them. */
const RESERVED =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|accept-encoding)$/i;
const MAX_VALUE_BYTES = 8192;

/** Values are ASCII here, so units are bytes. */
const refuseValue = (value: string): RefusalCode | undefined =>
  value.length > MAX_VALUE_BYTES || /^[ \t]|[ \t]$/.test(value) ? 'template-invalid-header-value' : undefined;

function nameFault(name: string): { readonly code: string; readonly detail: string } | undefined {
  if (name.includes('{{'))
    return {
      code: 'template-placeholder-not-allowed',
      detail: 'A placeholder is not allowed in the name of a header.',
    };
  if (!TOKEN.test(name))
    return {
      code: 'template-header-name-not-allowed',
      detail: 'A header name is made of letters, digits and hyphens.',
    };
  if (RESERVED.test(name))
    return { code: 'template-header-name-not-allowed', detail: 'The platform writes this header itself; remove it.' };
  return undefined;
}

function compileHeader(name: string, text: string, scope: Scope): CompiledHeader | undefined {
  const field = `/headers/${escapeToken(name)}`;
  const fault = nameFault(name);
  if (fault !== undefined) scope.refuse(fault.code, field, fault.detail);
  const pieces = scope.parse(text, field);
  if (pieces === undefined || fault !== undefined) return undefined;
  const literal = pieces.every((piece) => piece.kind === 'text');
  if (!literal && name.toLowerCase() === 'content-type')
    scope.refuse(
      'template-placeholder-not-allowed',
      field,
      'A placeholder is not allowed in the content type: it decides how the body is escaped.',
    );
  const texts = pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []));
  const code =
    texts.map(positions.headerValue.refuse).find((found) => found !== undefined) ??
    (literal ? refuseValue(text) : undefined);
  if (code !== undefined)
    scope.refuse(code, field, 'A header holds printable ASCII and tab, at most 8 KiB, without a space at either end.');
  const chunks = pieces.map((piece) => (piece.kind === 'text' ? piece : scope.hole(piece, positions.headerValue)));
  return { name, value: { chunks, refuse: literal ? accept : refuseValue } };
}

/**
 * Compiles the headers (security.md §4.1). Names are literal, not on the deny-list, and unique in any case. Values may
 * hold both kinds of placeholders; the value of `content-type` may hold no placeholder.
 */
export function compileHeaders(headers: Readonly<Record<string, string>>, scope: Scope): readonly CompiledHeader[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, text]) => {
    const key = name.toLowerCase();
    if (seen.has(key))
      scope.refuse(
        'template-header-duplicate',
        `/headers/${escapeToken(name)}`,
        'A header is written once; remove one of them.',
      );
    seen.add(key);
    return compileHeader(name, text, scope) ?? [];
  });
}
