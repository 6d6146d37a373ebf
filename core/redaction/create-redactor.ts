import { automatonOf, type Pattern } from './automaton.ts';
import { secretForms, withoutNewline } from './forms.ts';
import { maybeIn, prefilterOf } from './prefilter.ts';
import type { Redactor } from './redactor.ts';
import { scrubJson, type Scrub } from './scrub-json.ts';
import { findSpans, type Search } from './spans.ts';
import { redactionStream, replaceSpans } from './stream.ts';

/** What a redactor looks for: the values of one vault, or keys of the process itself. */
export interface RedactedEntry {
  /** Stands in the marker `[redacted:NAME]`. */
  readonly name: string;
  readonly value: Uint8Array;
}

/** A shorter value would blank everything (security.md §5). */
const MIN_BYTES = 8;
/** Bytes of all forms together, one state each at most: about 50 MB and half a second. Short values are taken first. */
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
    // Forms are at least three times the value, whatever it holds: don't make them to find out that they are too many.
    const fits = withoutNewline(value).length >= MIN_BYTES && states + 3 * value.length <= MAX_STATES;
    const forms = fits ? secretForms(value) : [];
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

/** Characters beside these would break the JSON, HTML or header that the marker stands in. */
const markerOf = (name: string): Uint8Array =>
  new TextEncoder().encode(`[redacted:${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}]`);

function scrubText(search: Search, markers: readonly Uint8Array[]): Scrub {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (text) => {
    if (!maybeIn(search.prefilter, text)) return { value: text, hits: 0 };
    const bytes = encoder.encode(text);
    const spans = findSpans(search, bytes);
    if (spans.length === 0) return { value: text, hits: 0 };
    return { value: decoder.decode(replaceSpans(bytes, spans, markers, bytes.length)), hits: spans.length };
  };
}

/** Knows no value: everything passes unchanged. */
const passing = (unscrubbable: readonly string[]): Redactor => ({
  text: (value) => ({ value, hits: 0 }),
  json: (value) => ({ value, hits: 0 }),
  bytes: (value) => ({ value, hits: 0 }),
  stream: () => ({
    write: (value) => ({ value, hits: 0 }),
    end: () => ({ value: new Uint8Array(0), hits: 0 }),
  }),
  unscrubbable,
});

/**
 * Compiles the values of one vault version (security.md §5): one Aho–Corasick automaton over every form of every value.
 * Overlapping hits are replaced as one, by the marker of the leftmost and longest.
 * @param entries values as they stand in the vault; an entry under 8 bytes, or with forms of more than 2 MB together with
 *   all shorter entries, is not scrubbed and named in `unscrubbable`
 */
export function createRedactor(entries: readonly RedactedEntry[]): Redactor {
  const { patterns, unscrubbable } = patternsOf(entries);
  if (patterns.length === 0) return passing(unscrubbable);
  const search = { patterns, automaton: automatonOf(patterns), prefilter: prefilterOf(patterns) };
  const markers = entries.map(({ name }) => markerOf(name));
  const text = scrubText(search, markers);
  return {
    text,
    json: (value) => scrubJson(text, value),
    bytes: (bytes) => {
      const spans = findSpans(search, bytes);
      const { length } = spans;
      return { value: length === 0 ? bytes : replaceSpans(bytes, spans, markers, bytes.length), hits: length };
    },
    stream: () => redactionStream(search, markers),
    unscrubbable,
  };
}
