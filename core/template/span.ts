import type { JsonObject, JsonValue } from '../json/json-value.ts';
import type { RenderProblem } from './compiled-request.ts';
import { secretText, type SecretPart, type TextPart } from './parse-template.ts';
import { positions, refusals, type Position, type RefusalCode } from './position.ts';
import { refusalOfValue } from './value.ts';

/** Value of an input that the caller does not give. */
export type Fallback =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: JsonValue }
  /** A default with secrets: it has its own tree, and its value is tainted. `entries` is never empty. */
  | {
      readonly kind: 'secret';
      readonly parts: readonly (TextPart | SecretPart)[];
      readonly entries: readonly [string, ...string[]];
    };

/** A declared input. `pointer` is `/inputs/NAME`. */
export interface InputReference {
  readonly kind: 'input';
  readonly name: string;
  readonly pointer: string;
  readonly fallback: Fallback;
}

export type Reference = SecretPart | InputReference;

/** A placeholder with its place. */
export interface PlaceholderSpan {
  readonly kind: 'hole';
  readonly reference: Reference;
  readonly position: Position;
}

export type Chunk = TextPart | PlaceholderSpan;

/** A part of a field that is checked as a whole: a host label, a path segment, a header value, a body. */
export interface Span {
  readonly chunks: readonly Chunk[];
  /**
   * The reason why the filled text is refused. It finds what single values can't show, such as `.` beside a literal
   * `.`.
   */
  readonly refuse: (filled: string) => RefusalCode | undefined;
}

/** For a span that needs no check as a whole. Made once: a function made while an Orb is compiled would keep all of its state. */
export const accept = (): undefined => undefined;

/** Source of values for spans. */
export type Source =
  | {
      readonly kind: 'plain';
      readonly inputs: JsonObject;
      readonly secret: (entry: string) => string | undefined;
    }
  | { readonly kind: 'sealed'; readonly inputs: JsonObject };

/**
 * UTF-16 units of one filled span. Without a limit, one large input in a thousand placeholders would take a gigabyte. 8
 * MiB is the largest request that an installation can allow (security.md S6).
 */
const MAX_FILLED_CHARS = 8_388_608;

const hasInput = (source: Source, name: string): boolean => Object.hasOwn(source.inputs, name);

/**
 * The problem of one placeholder. It is the vault's fault for a secret, also for a secret default; otherwise the
 * caller's.
 */
export function problemOf(reference: Reference, source: Source, code: RefusalCode): RenderProblem {
  if (reference.kind === 'secret') return { kind: 'secret', code: 'secret-not-header-safe', entry: reference.entry };
  const { name, pointer, fallback } = reference;
  if (fallback.kind === 'secret' && !hasInput(source, name))
    return { kind: 'secret', code: 'secret-not-header-safe', entry: fallback.entries[0] };
  return { kind: 'input', code, pointer, detail: refusals[code] };
}

function fillSecret(part: SecretPart, position: Position, source: Source): string | RenderProblem {
  if (source.kind === 'sealed') return secretText(part);
  const text = source.secret(part.entry);
  if (text === undefined) return { kind: 'secret', code: 'secret-missing', entry: part.entry };
  const fits = text.isWellFormed() && position.refuse(text) === undefined;
  return fits ? position.encode(text) : { kind: 'secret', code: 'secret-not-header-safe', entry: part.entry };
}

function fillDefault(
  parts: readonly (TextPart | SecretPart)[],
  position: Position,
  source: Source,
): string | RenderProblem {
  const whole = position.kind === 'json-value';
  const inner = whole ? positions.jsonString : position;
  let text = '';
  for (const part of parts) {
    const filled = part.kind === 'text' ? inner.encode(part.text) : fillSecret(part, inner, source);
    if (typeof filled !== 'string') return filled;
    text += filled;
  }
  return whole ? `"${text}"` : text;
}

function fillValue(value: JsonValue, hole: PlaceholderSpan, source: Source): string | RenderProblem {
  const { position, reference } = hole;
  const unwritable = refusalOfValue(value);
  if (unwritable !== undefined) return problemOf(reference, source, unwritable);
  const text = typeof value === 'string' && position.kind !== 'json-value' ? value : JSON.stringify(value);
  const refused = position.refuse(text);
  return refused === undefined ? position.encode(text) : problemOf(reference, source, refused);
}

/** The text of one placeholder, escaped for its place. In text, a value that is not a string becomes its JSON text. */
function fillPlaceholder(hole: PlaceholderSpan, source: Source): string | RenderProblem {
  const { reference, position } = hole;
  if (reference.kind === 'secret') return fillSecret(reference, position, source);
  const { name, fallback } = reference;
  const given = hasInput(source, name) ? source.inputs[name] : undefined;
  if (given !== undefined) return fillValue(given, hole, source);
  switch (fallback.kind) {
    case 'none':
      return problemOf(reference, source, 'missing-input');
    case 'value':
      return fillValue(fallback.value, hole, source);
    case 'secret':
      return fillDefault(fallback.parts, position, source);
    default:
      return fallback satisfies never;
  }
}

/**
 * The reference to report for a whole span: the first input, which the caller can change; otherwise the first secret.
 */
function spanProblem(span: Span, source: Source, code: RefusalCode): RenderProblem {
  const references = span.chunks.flatMap((chunk) => (chunk.kind === 'hole' ? [chunk.reference] : []));
  const found = references.find((reference) => reference.kind === 'input') ?? references[0];
  if (found === undefined) throw new TypeError('a literal span is checked when it is compiled');
  return problemOf(found, source, code);
}

/** Fills one span in one pass; filled values are never scanned again. */
export function fillSpan(span: Span, source: Source): string | RenderProblem {
  let text = '';
  for (const chunk of span.chunks) {
    const filled = chunk.kind === 'text' ? chunk.text : fillPlaceholder(chunk, source);
    if (typeof filled !== 'string') return filled;
    text += filled;
    if (text.length > MAX_FILLED_CHARS) return spanProblem(span, source, 'template-too-large');
  }
  const refused = span.refuse(text);
  return refused === undefined ? text : spanProblem(span, source, refused);
}
