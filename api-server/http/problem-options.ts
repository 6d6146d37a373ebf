import type { JsonValue } from '../../core/json/json-value.ts';

/** One thing that is wrong: where (exactly one of pointer, parameter, header), which rule, and what to do. */
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
  /** About this occurrence; holds no secret, no body and no URL query. */
  readonly detail?: string;
  /** In place of the table's text, where the next step is known better (the line that adds a secret). */
  readonly next?: string;
  readonly errors?: readonly ProblemError[];
  /** Members beside the standard ones; the schema `Problem` names those that exist. */
  readonly extensions?: Readonly<Record<string, JsonValue>>;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}
