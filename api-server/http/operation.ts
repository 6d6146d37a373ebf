import type { JsonValue } from '../../core/json/json-value.ts';
import type { ProblemCode } from './problems.ts';

/** JSON Schema 2020-12; `#/components/schemas/NAME` refers to `schemas.ts`. */
export type JsonSchema = boolean | Readonly<Record<string, JsonValue>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  /** Path parameters are always required; others only when it is set. */
  readonly required?: true;
  readonly schema: JsonSchema;
}

/** A type alias, because an interface does not count as JSON. */
type MediaType = { readonly schema: JsonSchema };

interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  /** By media type; absent: no body. */
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** Description of a route in OpenAPI. `openapi.ts` adds the problems that the server itself answers. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  /** Answers that are not problems, by status. */
  readonly responses: Readonly<Record<string, Answer>>;
  /** Codes that the handler itself may answer. */
  readonly problems: readonly ProblemCode[];
}
