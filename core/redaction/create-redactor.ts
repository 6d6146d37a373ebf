import type { JsonValue } from '../json/json-value.ts';
import { automatonOf, type Pattern } from './automaton.ts';
import { secretForms, withoutNewline } from './forms.ts';
import { segmentsOf } from './segments.ts';
import { isTooShort, mayContain, prefilterOf } from './prefilter.ts';
import { numberRedactor } from './numbers.ts';
import type { Redactor } from './redactor.ts';
import { redactJson, redactSteps, type RedactSteps, type RedactText } from './redact-json.ts';
import { findEncodedSpans, mayBeEncoded } from './encoded-spans.ts';
import { replaceSpans, type Search } from './spans.ts';

/** An entry to redact: a value of one vault, or a key of the process itself. */
export interface RedactedEntry {
  /** Name shown in the marker `[redacted:NAME]`. */
  readonly name: string;
  readonly value: Uint8Array;
}

/** A shorter value would blank everything. */
const MIN_BYTES = 8;
/** Bytes of all forms together, at most one state each: about 50 MB and half a second. Short values are added first. */
const MAX_STATES = 2_000_000;

interface Known {
  readonly patterns: readonly Pattern[];
  readonly unscrubbable: readonly string[];
}

function patternsOf(entries: readonly RedactedEntry[]): Known {
  const patterns: Pattern[] = [];
  const left = new Set<string>();
  let states = 0;
  const byLength = [...entries.entries()].toSorted(([, a], [, b]) => a.value.length - b.value.length);
  for (const [entry, { name, value }] of byLength) {
    // All forms of a value take at least three times its size. Check this first, before making forms that don't fit.
    const fits = withoutNewline(value).length >= MIN_BYTES && states + 3 * value.length <= MAX_STATES;
    const forms = fits ? [value, ...segmentsOf(value)].flatMap(secretForms) : [];
    const bytes = forms.reduce((sum, form) => sum + form.length, 0);
    if (!fits || states + bytes > MAX_STATES) {
      left.add(name);
      continue;
    }
    states += bytes;
    for (const form of forms) patterns.push({ bytes: form, entry });
  }
  return { patterns, unscrubbable: entries.map(({ name }) => name).filter((name) => left.has(name)) };
}

/** Other characters would break the JSON, HTML or header around the marker. */
const markerOf = (name: string): string => `[redacted:${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}]`;

function textRedactor(search: Search, markers: readonly Uint8Array[]): RedactText {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (text) => {
    const { prefilter } = search;
    if (isTooShort(prefilter, text)) return { value: text, hits: 0 };
    if (!mayContain(prefilter, text) && !mayBeEncoded(text)) return { value: text, hits: 0 };
    const bytes = encoder.encode(text);
    const spans = findEncodedSpans(search, bytes);
    if (spans.length === 0) return { value: text, hits: 0 };
    return { value: decoder.decode(replaceSpans(bytes, spans, markers)), hits: spans.length };
  };
}

const unchanged = (value: JsonValue): RedactSteps => ({
  next: () => ({ done: true, value: { value, hits: 0 } }),
});

/** A redactor without values: everything passes unchanged. */
const passing = (unscrubbable: readonly string[]): Redactor => ({
  text: (value) => ({ value, hits: 0 }),
  json: (value) => ({ value, hits: 0 }),
  jsonSteps: unchanged,
  bytes: (value) => ({ value, hits: 0 }),
  unscrubbable,
});

/**
 * Compiles the values of one vault version (security.md §5): one Aho–Corasick automaton over every form of every value.
 * A text is searched as it is, and with up to two encodings taken off
 * (`decodings.ts`). Overlapping hits are replaced together, by the marker of the leftmost and longest.
 * @param entries values as the vault holds them. An entry under 8 bytes is not redacted and is named in `unscrubbable`.
 * So is an entry whose forms, with those of all shorter entries, exceed 2 MB.
 */
export function createRedactor(entries: readonly RedactedEntry[]): Redactor {
  const { patterns, unscrubbable } = patternsOf(entries);
  if (patterns.length === 0) return passing(unscrubbable);
  const search = { patterns, automaton: automatonOf(patterns), prefilter: prefilterOf(patterns) };
  const texts = entries.map(({ name }) => markerOf(name));
  const markers = texts.map((marker) => new TextEncoder().encode(marker));
  const text = textRedactor(search, markers);
  const redactors = { text, number: numberRedactor(patterns, texts) };
  return {
    text,
    json: (value) => redactJson(redactors, value),
    jsonSteps: (value) => redactSteps(redactors, value),
    bytes: (bytes) => {
      const spans = findEncodedSpans(search, bytes);
      const { length } = spans;
      return { value: length === 0 ? bytes : replaceSpans(bytes, spans, markers), hits: length };
    },
    unscrubbable,
  };
}
