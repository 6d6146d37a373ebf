/** One thing that is wrong, or worth saying, about a manifest, an input or another document. */
export interface Finding {
  /** Stable, kebab-case, public: `manifest-url-not-https`, `unknown-member`, `yaml-ambiguous` … */
  readonly code: string;
  /** RFC 6901 JSON Pointer to the member; `''` is the whole document. */
  readonly pointer: string;
  /** One sentence that says what to do; holds no secret value and no input value. */
  readonly detail: string;
  /** Only `error` keeps a manifest from being used. */
  readonly severity: 'error' | 'warning' | 'info';
  /** Nearest known name, for a near miss. */
  readonly suggestion?: string;
  /** Place in the text that was parsed, both from 1, columns in UTF-16 units. Absent where there is no text. */
  readonly line?: number;
  readonly column?: number;
}

/** The outcome of parsing something that people write. Warnings stand beside a usable value. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };
