/** One error, warning or advice about a manifest, an input or another document. */
export interface Finding {
  /** Stable, kebab-case, public: `manifest-url-not-https`, `unknown-member`, `yaml-ambiguous` … */
  readonly code: string;
  /** RFC 6901 JSON Pointer to the member; `''` is the whole document. */
  readonly pointer: string;
  /** One sentence that tells the reader what to do. It holds no secret value and no input value. */
  readonly detail: string;
  /** Only an `error` makes a manifest unusable. */
  readonly severity: 'error' | 'warning' | 'info';
  /** Nearest known name, for a near miss. */
  readonly suggestion?: string;
  /** Place in the parsed text, both from 1, columns in UTF-16 units. Absent when there is no text. */
  readonly line?: number;
  readonly column?: number;
}

/** The result of parsing a text that people write. A usable value may come with warnings. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };
