import { readJsonTemplate, type JsonPlace } from './json-body.ts';
import { markPieces, type Marked } from './marked.ts';
import { positions, type Position } from './position.ts';
import type { Piece, Scope } from './scope.ts';
import { accept, type Chunk, type Span } from './span.ts';
import { readXmlTemplate } from './xml-body.ts';

/** Escaping of a body, by its media type (security.md §4.1). `opaque`: no placeholders are allowed. */
type BodyKind = 'json' | 'xml' | 'form' | 'text' | 'opaque';

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9a-z]+";
const TYPE = new RegExp(`^${TOKEN}/(?<subtype>${TOKEN})$`);

/** @param contentType value of the header; parameters are ignored */
function bodyKindOf(contentType: string): BodyKind {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const subtype = TYPE.exec(type)?.groups?.['subtype'];
  if (subtype === undefined) return 'opaque';
  if (/^(?:.*\+)?json$/.test(subtype)) return 'json';
  if (/^(?:.*\+)?xml$/.test(subtype)) return 'xml';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type.startsWith('text/') || type === 'application/x-ndjson' ? 'text' : 'opaque';
}

const FIELD = '/body_template';

function refusePlaceholder(scope: Scope, place: string): undefined {
  return scope.refuse('template-placeholder-not-allowed', FIELD, `A placeholder is not allowed in ${place}.`);
}

function refuseBody(scope: Scope, detail: string): undefined {
  return scope.refuse('manifest-body-template', FIELD, detail);
}

const spanOf = (chunks: readonly Chunk[]): Span => ({ chunks, refuse: accept });

function compileAt(pieces: readonly Piece[], position: Position, scope: Scope): Span {
  return spanOf(pieces.map((piece) => (piece.kind === 'text' ? piece : scope.hole(piece, position))));
}

const jsonPositions: Readonly<Record<JsonPlace, Position>> = {
  string: positions.jsonString,
  value: positions.jsonValue,
};

function compilePlaces(pieces: readonly Piece[], places: readonly JsonPlace[], scope: Scope): Span | undefined {
  const next = places.values();
  const chunks = pieces.map((piece): Chunk => {
    if (piece.kind === 'text') return piece;
    return scope.hole(piece, jsonPositions[next.next().value ?? 'string']);
  });
  const bare = chunks.some(
    (chunk) => chunk.kind === 'hole' && chunk.position.kind === 'json-value' && chunk.reference.kind === 'secret',
  );
  return bare
    ? refusePlaceholder(scope, 'JSON as a whole value when it is a secret; write quotes around it')
    : spanOf(chunks);
}

function compileJson(pieces: readonly Piece[], marked: Marked | undefined, scope: Scope): Span | undefined {
  const reading = marked === undefined ? ({ kind: 'not-json' } as const) : readJsonTemplate(marked.text);
  switch (reading.kind) {
    case 'read':
      return compilePlaces(pieces, reading.places, scope);
    case 'not-json':
      return refuseBody(scope, 'The body is not JSON, as its content type says; correct one of them.');
    case 'too-deep':
      return scope.refuse('template-too-large', FIELD, 'A JSON body nests at most 64 levels.');
    case 'in-name':
      return refusePlaceholder(scope, 'the name of a JSON member');
    default:
      return reading satisfies never;
  }
}

function compileXml(pieces: readonly Piece[], marked: Marked | undefined, scope: Scope): Span | undefined {
  const reading = marked === undefined ? 'not-xml' : readXmlTemplate(marked.text);
  switch (reading) {
    case 'read':
      return compileAt(pieces, positions.xml, scope);
    case 'not-xml':
      return refuseBody(scope, 'The body is not XML, as its content type says, or its DOCTYPE has an internal subset.');
    case 'misplaced':
      return refusePlaceholder(scope, 'XML but in text and in values of attributes');
    default:
      return reading satisfies never;
  }
}

function compileText(pieces: readonly Piece[], scope: Scope): Span | undefined {
  if (pieces.some((piece) => piece.kind === 'text' && piece.text.includes('\0')))
    return refuseBody(scope, 'Text holds no NUL character; remove it.');
  return compileAt(pieces, positions.text, scope);
}

function compileOpaque(pieces: readonly Piece[], scope: Scope): Span | undefined {
  if (pieces.every((piece) => piece.kind === 'text')) return compileAt(pieces, positions.text, scope);
  return refusePlaceholder(scope, 'a body of this content type; use JSON, XML, a form or text');
}

/**
 * Kind of a body without a content type: JSON when the template parses as JSON, otherwise text. Text with placeholders
 * gets a warning, because values are not escaped.
 */
function guessKind(pieces: readonly Piece[], marked: Marked | undefined, scope: Scope): BodyKind {
  if (marked !== undefined && readJsonTemplate(marked.text).kind !== 'not-json') return 'json';
  if (pieces.some((piece) => piece.kind !== 'text'))
    scope.warn(
      'template-body-is-text',
      FIELD,
      'Without a content type a body that is not JSON is text: values are filled in unescaped; add the header.',
    );
  return 'text';
}

/**
 * Compiles the body by its media type (security.md §4.1).
 * @param contentType the literal header; undefined without one
 * @returns undefined when the body can't be used; then the scope holds the reason
 */
export function compileBody(template: string, contentType: string | undefined, scope: Scope): Span | undefined {
  const pieces = scope.parse(template, FIELD);
  if (pieces === undefined) return undefined;
  const marked = markPieces(pieces);
  const kind = contentType === undefined ? guessKind(pieces, marked, scope) : bodyKindOf(contentType);
  switch (kind) {
    case 'json':
      return compileJson(pieces, marked, scope);
    case 'xml':
      return compileXml(pieces, marked, scope);
    case 'form':
      return compileAt(pieces, positions.form, scope);
    case 'text':
      return compileText(pieces, scope);
    case 'opaque':
      return compileOpaque(pieces, scope);
    default:
      return kind satisfies never;
  }
}
