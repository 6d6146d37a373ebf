import type { JsonObject } from '../json/json-value.ts';
import type { RenderedRequest } from './rendered-request.ts';

/**
 * The reason why a template could not be filled. `pointer` names the input (`/inputs/NAME`), or is '' for a vault
 * entry.
 */
export type RenderProblem =
  /** The caller's fault, 422 `invalid-inputs`: `template-invalid-header-value`, `template-path-traversal`, `missing-input` … */
  | { readonly kind: 'input'; readonly code: string; readonly pointer: string; readonly detail: string }
  /**
   * The vault's fault, 409: the entry is missing, or its value is not allowed at this place. Names the entry, never its
   * value.
   */
  | { readonly kind: 'secret'; readonly code: 'secret-missing' | 'secret-not-header-safe'; readonly entry: string };

export type RenderResult =
  | { readonly ok: true; readonly request: RenderedRequest }
  | { readonly ok: false; readonly problem: RenderProblem };

/** Values that fill a template. */
export interface RenderValues {
  /** Validated inputs as the caller gave them. Defaults are in the template. */
  readonly inputs: JsonObject;
  /** Text of a vault entry (UTF-8, trailing newline removed), or undefined when the entry is missing. */
  readonly secret: (entry: string) => string | undefined;
}

/** One execution, parsed once into a typed tree per field (security.md §4). Immutable, safe to share. */
export interface CompiledRequest {
  readonly method: string;
  /** Names of its headers, in lower case. */
  readonly headerNames: ReadonlySet<string>;
  /**
   * Vault entries that this request needs when the caller gives only the `given` inputs. These are entries of direct
   * references, and entries in secret defaults of the other inputs (taint).
   */
  readonly secretsFor: (given: JsonObject) => readonly string[];
  /** Fills the tree in one pass; the result is never scanned for placeholders again. */
  readonly render: (values: RenderValues) => RenderResult;
  /** The same with `{{orbiset.secrets.NAME}}` in place of secrets: for dry runs, logs and records. */
  readonly seal: (inputs: JsonObject) => RenderResult;
  /** URL in placeholder form, as written in the manifest. */
  readonly sealedUrl: string;
  /** Vault entries that may be in the URL, including those of defaults: condition `SecretInUrl` (security.md S2). */
  readonly secretsInUrl: readonly string[];
  /** The literal host; undefined when labels come from secrets. */
  readonly literalHost: string | undefined;
}
