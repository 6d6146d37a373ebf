import type { Target } from '../../../core/ingestion/incidents/match-entity.ts';
import type { Member } from '../../../core/ingestion/incidents/episodes.ts';

/** What mapping has to know about Orbs. */
export interface MappingOrbs {
  /**
   * Finds out what the other members answer from. To call before them.
   * @param ids of Orbs, for all members but `running`
   * @param names `org.name`, for `running`
   * @returns undefined: nothing has to be waited for
   */
  readonly learn: (namespace: string, ids: readonly string[], names?: readonly string[]) => Promise<void> | undefined;
  /** Whether an id names an Orb for a namespace: its own, else one of a publication, else one of the platform. */
  readonly isKnown: (namespace: string, id: string) => boolean;
  /**
   * Ids of the Orbs that a namespace runs: its own, and those that its Orbisets list with a version.
   * @param name `org.name`: only its versions are looked for
   */
  readonly running: (namespace: string, name: string) => readonly string[];
  /** Host of the provider that an Orb calls now; null: unknown, or made of secrets. @param now ms since epoch */
  readonly hostOf: (namespace: string, target: Target | null, now: number) => string | null;
  /** Whose monitor a source is, for an Orb. */
  readonly monitorOf: (namespace: string, target: Target) => Member['monitor'];
}
