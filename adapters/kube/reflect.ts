import type { Change, Kind, Reflector, Selection } from './port.ts';
import type { IndexFunction } from './store-index.ts';
import type { Transform } from './store-transform.ts';

/** Selection and indexes of a cache. */
export interface ReflectOptions {
  readonly kind: Kind;
  /** Default: every object of the kind. */
  readonly selection?: Selection;
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
  readonly transform?: Transform;
  /** Must only enqueue keys. */
  readonly onChange: (change: Change) => void;
}

/**
 * Makes a cache that does nothing before `run`. Its source is an API server or the local object store (operator.md A3,
 * A16).
 */
export type Reflect = (options: ReflectOptions) => Reflector;
