import { firstCellsOf, headingsOf } from './markdown.ts';

/** A reference from code or docs to a place in a design document. */
export interface Citation {
  /** From 1. */
  readonly line: number;
  /** Base name, as `security.md`; undefined: no document is named before it in the file. */
  readonly document: string | undefined;
  /** A section (`§6.2`), the row of a table or a lettered section (`S12`, `A3`), or empty: the whole document. */
  readonly place: string;
}

/** Places by the base name of their document. */
export type Places = ReadonlyMap<string, ReadonlySet<string>>;

const SPECIFICATION = 'interface-specification.md';
// Publications of others: their sections are not ours to resolve.
const FOREIGN = String.raw`(?<foreign>\bRFC \d+|\bKEP-\d+|\bTrace Context)`;
const DOCUMENT = String.raw`(?<path>[\w./-]*/)?(?<document>\b[a-z][a-z-]*\.md)\b`;
const SPEC = String.raw`(?<spec>\bspec(?:ification)?)(?= §)`;
const SECTION = String.raw`(?<section>§\d+(?:\.\d+)*)`;
const ROW = String.raw`(?<row>\b[ABLRS]\d{1,2}\b)`;
const TOKEN = new RegExp([FOREIGN, DOCUMENT, SPEC, SECTION, ROW].join('|'), 'g');
// Text between a document and its first place.
const CITES = /^`?,? (?:§\d|[ABLRS]\d)/;
// Text between a citation and a row that belongs to it, as in `security.md S1, S2 and S5`.
const BETWEEN = /^\)?`?(?:\s|,?\s(?:and |to |or )?)$/;
// Elsewhere a row is a citation only in parentheses: the ids of scenarios and chaos plans look the same.
const OPENS = /\((?:[^()\n]*, )?$/;

interface Cursor {
  /** The document that was named last. */
  document: string | undefined;
  foreign: boolean;
  /** Where the last citation ended; −1: the last token was not a citation. */
  end: number;
}

const group = (match: RegExpExecArray, name: string): string | undefined => match.groups?.[name];
const endOf = (match: RegExpExecArray): number => match.index + match[0].length;

const follows = (match: RegExpExecArray, { end }: Cursor): boolean =>
  end >= 0 && BETWEEN.test(match.input.slice(end, match.index));

/** Section or row that a token cites; undefined: it is not a citation. */
function placeOf(match: RegExpExecArray, cursor: Cursor): string | undefined {
  const row = group(match, 'row');
  if (row === undefined) return group(match, 'section');
  const before = match.input.slice(Math.max(0, match.index - 60), match.index);
  return follows(match, cursor) || (OPENS.test(before) && match.input[endOf(match)] === ')') ? row : undefined;
}

/** The document that a token names: null for a foreign document, undefined when it names no document. */
function namedBy(match: RegExpExecArray, designed: ReadonlySet<string>): string | null | undefined {
  if (group(match, 'foreign') !== undefined) return null;
  if (group(match, 'spec') !== undefined) return SPECIFICATION;
  const document = group(match, 'document');
  if (document === undefined) return undefined;
  const isDesign = designed.has(document) || CITES.test(match.input.slice(endOf(match), endOf(match) + 8));
  return isDesign ? document : undefined;
}

/**
 * Makes the document that a token names the current document; in a design document its own name becomes current again.
 */
function moveTo(cursor: Cursor, document: string | null | undefined, back: string | undefined): void {
  if (document === undefined && back === undefined) return;
  cursor.foreign = document === null;
  cursor.document = document ?? (document === null ? undefined : back);
}

/**
 * The citations of a text. A section or row without a document belongs to the document that is named nearest before it.
 * In a design document it belongs to that document, unless it directly follows a citation of another. Citations of
 * foreign publications are left out.
 * @param designed base names of the design documents: a document that is named without a section is cited as a whole
 * @param own name of the design document, if the text is one
 */
export function citationsOf(text: string, designed: ReadonlySet<string>, own?: string): readonly Citation[] {
  const found: Citation[] = [];
  const cursor: Cursor = { document: own, foreign: false, end: -1 };
  for (const match of text.matchAll(TOKEN)) {
    const line = text.slice(0, match.index).split('\n').length;
    const document = namedBy(match, designed);
    const place = placeOf(match, cursor);
    moveTo(cursor, document, follows(match, cursor) ? undefined : own);
    const cited = [typeof document === 'string' ? '' : undefined, cursor.foreign ? undefined : place];
    found.push(...cited.flatMap((at) => (at === undefined ? [] : { line, document: cursor.document, place: at })));
    cursor.end = document === undefined && place === undefined ? -1 : endOf(match);
  }
  return found;
}

const SECTION_NUMBER = /^(\d+(?:\.\d+)*)\.? /;
const SECTION_LETTER = /^([A-Z]\d+)\. /;

/** The place that a heading defines; undefined: it has no number. */
export function placeOfHeading(heading: string): string | undefined {
  const number = SECTION_NUMBER.exec(heading)?.[1];
  return number === undefined ? SECTION_LETTER.exec(heading)?.[1] : `§${number}`;
}

/** The places of a document: the whole, its numbered headings, and the table rows that begin with an id. */
export function placesOf(text: string): ReadonlySet<string> {
  const rows = firstCellsOf(text).filter((cell) => /^[A-Z]\d{1,2}$/.test(cell));
  return new Set(['', ...headingsOf(text).flatMap((heading) => placeOfHeading(heading) ?? []), ...rows]);
}

/** Why a citation can't be resolved; undefined when it can. */
export function faultOf({ document, place }: Citation, places: Places): string | undefined {
  if (document === undefined) return `${place}: no document is named before it`;
  const known = places.get(document);
  if (known === undefined) return `${document} ${place}: there is no such document`;
  return known.has(place) ? undefined : `${document} ${place}: there is no such place`;
}
