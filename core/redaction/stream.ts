import { advance, cursorAt, openBytes } from './automaton.ts';
import { addHit, type Search, type Span } from './spans.ts';

/**
 * Redacts a text that comes in pieces. Bytes that could still become part of a secret are held back: at most the
 * longest form less one byte. So a value that is split anywhere is found.
 */
export interface RedactionStream {
  /** @returns the bytes that are decided so far */
  readonly write: (chunk: Uint8Array) => { readonly value: Uint8Array; readonly hits: number };
  /** @returns the rest; the stream accepts no more input */
  readonly end: () => { readonly value: Uint8Array; readonly hits: number };
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

/** `text` with every span before `limit` replaced; a span that reaches beyond `limit` is replaced whole. */
export function replaceSpans(
  text: Uint8Array,
  spans: readonly Span[],
  markers: readonly Uint8Array[],
  limit: number,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, entry } of spans) {
    parts.push(text.subarray(from, start), markers[entry] ?? new Uint8Array(0));
    from = end;
  }
  if (from < limit) parts.push(text.subarray(from, limit));
  return concat(parts);
}

/** @param markers the replacement for each entry */
export function redactionStream(search: Search, markers: readonly Uint8Array[]): RedactionStream {
  const cursor = cursorAt(0);
  // Offsets, including the cursor's, are relative to `held`. Spans are undecided; the text before `replaced` is done.
  let held: Uint8Array = new Uint8Array(0);
  let spans: Span[] = [];
  let replaced = 0;

  const note = (): void => {
    addHit(search, cursor, spans);
    // A hit that overlaps the replaced part extends it, and absorbs the spans between.
    const last = spans.at(-1);
    if (last === undefined || last.start >= replaced) return;
    replaced = last.end;
    spans = [];
  };

  const emit = (limit: number): { readonly value: Uint8Array; readonly hits: number } => {
    const due = spans.filter(({ start }) => start < limit);
    const shifted = due.map((span) => ({ ...span, start: span.start - replaced, end: span.end - replaced }));
    const value = replaceSpans(held.subarray(replaced), shifted, markers, limit - replaced);
    replaced = Math.max(0, (due.at(-1)?.end ?? replaced) - limit);
    spans = spans.slice(due.length).map((span) => ({ ...span, start: span.start - limit, end: span.end - limit }));
    held = held.slice(limit);
    cursor.index -= limit;
    return { value, hits: due.length };
  };

  return {
    write: (chunk) => {
      held = concat([held, chunk]);
      while (cursor.index < held.length) {
        advance(search.automaton, cursor, held, held.length);
        note();
      }
      return emit(held.length - openBytes(search.automaton, cursor));
    },
    end: () => emit(held.length),
  };
}
