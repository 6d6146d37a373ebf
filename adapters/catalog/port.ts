import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { InvalidSource } from '../../core/orb/invalid-source.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';

/** State of one Orb resource: the version that runs, and the fault of the newest one. */
export interface OrbEntry {
  readonly namespace: string;
  readonly name: string;
  readonly orbId: OrbId;
  /** The last valid generation; absent when the Orb was never valid. */
  readonly compiled: CompiledOrb | undefined;
  /** How to make the newest generation valid; absent when it is valid. Names places and codes, never values. */
  readonly fault?: string;
  /** The file of a folder that it comes from; absent: no file is known. */
  readonly file?: string;
}

/**
 * Orbs and Orbisets for runs, compiled once per generation. Synchronous, so that no run waits for it. A lookup returns
 * one immutable snapshot. A change replaces the snapshot; a run in flight keeps its own.
 */
export interface Catalog {
  /** The Orb that holds this id in the namespace (design.md §2: the oldest). */
  readonly orb: (namespace: string, orbId: OrbId) => OrbEntry | undefined;
  readonly orbiset: (namespace: string, name: string) => CompiledOrbiset | undefined;
  readonly orbisets: (namespace: string) => readonly CompiledOrbiset[];
  /** Every Orb that holds its id, of all namespaces. */
  readonly all: () => Iterable<OrbEntry>;
  /** Files and objects of a namespace that give no Orb, because they are not valid. */
  readonly invalid: (namespace: string) => readonly InvalidSource[];
}
