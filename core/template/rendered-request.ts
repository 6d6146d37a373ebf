/** A request filled from a template. Plain form: may hold secret values. Sealed form: shows placeholders instead. */
export interface RenderedRequest {
  readonly method: string;
  /** Absolute URL, percent-encoded. */
  readonly url: string;
  /** In manifest order; names as written. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Null when the execution has no `body_template`. */
  readonly body: string | null;
}
