import { RE2JS } from '@bufbuild/re2';

/** Most compiled patterns that are kept. */
const MAX_KEPT = 1024;

interface Pattern {
  readonly test: (text: string) => boolean;
}

/**
 * Compiled RE2 patterns, so that no evaluation compiles one (policy.md §1.1). Matching is linear in the text.
 * Beyond `MAX_KEPT` the oldest are dropped, and compiled again when they are needed.
 */
export class Patterns {
  readonly #kept = new Map<string, Pattern>();

  /** @throws Error the text is not a pattern of RE2 */
  compile(text: string): Pattern {
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    const compiled = RE2JS.compile(text);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size >= MAX_KEPT && oldest.done !== true) this.#kept.delete(oldest.value);
    this.#kept.set(text, compiled);
    return compiled;
  }
}
