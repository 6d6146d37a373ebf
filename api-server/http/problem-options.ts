import type { JsonValue } from '../../core/json/json-value.ts';

/** One fault: its place (exactly one of pointer, parameter, header), the broken rule, and what to do. */
export interface ProblemError {
  /** RFC 6901, into the body. */
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
  readonly suggestion?: string;
}

export interface ProblemOptions {
  /** About this occurrence; without secrets, body and URL query. */
  readonly detail?: string;
  /** Replaces the table's text where a better next step is known (the line that adds a secret). */
  readonly next?: string;
  readonly errors?: readonly ProblemError[];
  /** Members beside the standard ones. The schema `Problem` names all that exist. */
  readonly extensions?: Readonly<Record<string, JsonValue>>;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}
