import type { CompiledSource } from '../../core/ingestion/source/compile-source.ts';

/** The values of a source's secrets, in the order of its spec. */
export type SourceSecrets =
  /** At least one value; a newline at the end of each was removed. */
  | { readonly kind: 'readable'; readonly values: readonly Uint8Array[] }
  /** The first that can't be used, by name alone. */
  | { readonly kind: 'unreadable'; readonly secret: string; readonly key: string };

/** A source as it receives now (ingestion.md §5). Immutable: a change makes another object. */
export interface SignalSource extends Omit<CompiledSource, 'pathEpoch' | 'secretRefs'> {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Generation that is in force; it may be an earlier one than that of the object. */
  readonly generation: number;
  /** `src_` and 26 characters; opaque. */
  readonly sourceId: string;
  readonly secrets: SourceSecrets;
}

/** The sources that receive, in the memory of this process. Reads never wait. */
export interface SignalSources {
  /** Also sources that are disabled. */
  readonly byId: (sourceId: string) => SignalSource | undefined;
  readonly byName: (namespace: string, name: string) => SignalSource | undefined;
  /** Sources of a namespace, by name. */
  readonly of: (namespace: string) => readonly SignalSource[];
}
