import { advance, cursorAt, openBytes, patternAt, type Automaton, type Cursor, type Pattern } from './automaton.ts';
import { nextCandidate, type Prefilter } from './prefilter.ts';

/** A part of a text to replace: [start, end), named after the entry of its leftmost, longest hit. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly entry: number;
}

/** The automaton and patterns to search one vault version. */
export interface Search {
  readonly patterns: readonly Pattern[];
  readonly automaton: Automaton;
  readonly prefilter: Prefilter;
}

/**
 * Adds a hit that ends after all earlier ones. Overlapping hits become one span: cutting only the leftmost would leave
 * the rest of the other in the text. Hits that only touch stay two.
 */
function addSpan(spans: Span[], hit: Span): void {
  let { entry } = hit;
  let { start } = hit;
  for (let last = spans.at(-1); last !== undefined && last.end > start; last = spans.at(-1)) {
    spans.pop();
    if (last.start < start) ({ start, entry } = last);
  }
  spans.push({ start, end: hit.end, entry });
}

/** Adds the hit that ends at the cursor. @returns false when no hit ends there */
function addHit({ automaton, patterns }: Search, cursor: Cursor, spans: Span[]): boolean {
  const pattern = patterns[patternAt(automaton, cursor)];
  if (pattern === undefined) return false;
  const { bytes, entry } = pattern;
  addSpan(spans, { start: cursor.index - bytes.length, end: cursor.index, entry });
  return true;
}

/** Runs the automaton over the patterns that may begin around `candidate`. @returns the offset to continue at */
function follow(search: Search, bytes: Uint8Array, candidate: number, spans: Span[]): number {
  const { automaton, prefilter } = search;
  const cursor = cursorAt(candidate - prefilter.reach);
  let found = true;
  while (found && cursor.index < bytes.length) {
    advance(automaton, cursor, bytes, candidate);
    found = addHit(search, cursor, spans);
  }
  return cursor.index - (cursor.index < bytes.length ? openBytes(automaton, cursor) : 0);
}

/** All spans of a whole text, in order, without overlaps. */
export function findSpans(search: Search, bytes: Uint8Array): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (;;) {
    const candidate = nextCandidate(search.prefilter, bytes, from);
    if (candidate < 0) return spans;
    from = follow(search, bytes, candidate, spans);
  }
}

/** Spans of several searches of one text: those that overlap become one, named after the leftmost and longest. */
export function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = joined.at(-1);
    if (last === undefined || span.start >= last.end) joined.push(span);
    else if (span.end > last.end) joined[joined.length - 1] = { ...last, end: span.end };
  }
  return joined;
}

const concat = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
};

/**
 * `text` with every span replaced.
 * @param markers the replacement for each entry
 */
export function replaceSpans(text: Uint8Array, spans: readonly Span[], markers: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, entry } of spans) {
    parts.push(text.subarray(from, start), markers[entry] ?? new Uint8Array(0));
    from = end;
  }
  parts.push(text.subarray(from));
  return concat(parts);
}
