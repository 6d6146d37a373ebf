import type { JsonObject } from '../json/json-value.ts';
import type { RenderedRequest } from './rendered-request.ts';

/** Why a template could not be filled; `pointer` names the input (`/inputs/NAME`) or is '' for a vault entry. */
export type RenderProblem =
  /** The caller's fault, 422 `invalid-inputs`: `template-invalid-header-value`, `template-path-traversal`, `missing-input` … */
  | { readonly kind: 'input'; readonly code: string; readonly pointer: string; readonly detail: string }
  /** The vault's fault, 409: the entry is missing, or may not stand where it stands. Names the entry, never its value. */
  | { readonly kind: 'secret'; readonly code: 'secret-missing' | 'secret-not-header-safe'; readonly entry: string };

export type RenderResult =
  | { readonly ok: true; readonly request: RenderedRequest }
  | { readonly ok: false; readonly problem: RenderProblem };

/** What a template is filled with. */
export interface RenderValues {
  /** Validated inputs as the caller gave them; defaults stand in the template. */
  readonly inputs: JsonObject;
  /** Text of a vault entry (UTF-8, trailing newline removed), or undefined when the entry is missing. */
  readonly secret: (entry: string) => string | undefined;
}

/** One execution, parsed once into a typed tree per field (security.md §4). Immutable, safe to share. */
export interface CompiledRequest {
  readonly method: string;
  /**
   * Vault entries that this request needs when only `given` inputs are given by the caller:
   * direct references, and those of secret defaults of inputs that are not given (taint).
   */
  readonly secretsFor: (given: JsonObject) => readonly string[];
  /** Fills the tree in one pass; the result is never scanned again. */
  readonly render: (values: RenderValues) => RenderResult;
  /** The same with `{{orbiset.secrets.NAME}}` in place of secrets: for dry runs, logs and records. */
  readonly seal: (inputs: JsonObject) => RenderResult;
  /** URL in placeholder form, as written in the manifest. */
  readonly sealedUrl: string;
  /** Vault entries that can stand in the URL, those of defaults too: condition `SecretInUrl` (security.md S2). */
  readonly secretsInUrl: readonly string[];
  /** Host as far as it is literal; undefined when secret labels make it. */
  readonly literalHost: string | undefined;
}
