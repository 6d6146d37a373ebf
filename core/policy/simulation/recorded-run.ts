import { listAt, member, objectAt } from '../../json/members.ts';
import type { PolicySet } from '../decision/policy-set.ts';
import { rootOf, type Phase } from '../facts/fact-schema.ts';
import { FACTS_SCHEMA, ORB_FACTS } from '../facts/orb-facts.ts';
import type { Facts } from '../language/port.ts';

/** The facts that one phase of a recorded run added; its digest was checked before. */
export interface RecordedFacts {
  readonly phase: Phase;
  /** Of phase Request; of phase Response the provider that answered; null in PreFlight. */
  readonly provider: string | null;
  readonly schema: string;
  readonly facts: Facts;
}

/** A run as a replay reads it. */
export interface RecordedRun {
  /** PreFlight first, Request for each eligible provider, Response; empty when nothing was recorded. */
  readonly snapshots: readonly RecordedFacts[];
  /** Why there are no snapshots. */
  readonly absent: 'facts_not_recorded' | 'facts_erased';
  /** The phase in which the run was denied; undefined: it was allowed. */
  readonly deniedIn: Phase | undefined;
  /** A provider gave a good answer: only then phase Response is decided. */
  readonly isAnswered: boolean;
  /** Inputs whose values the policies of that time declared, as far as it is known. */
  readonly inputNames: readonly string[];
  /** Scopes that had approved the run. */
  readonly approved: readonly string[];
  /** Default of the Orbiset at that time; undefined: the record does not tell. */
  readonly defaultEffect: 'allow' | 'deny' | undefined;
}

/** Why a run can't be decided again (policy.md §6). */
export type IndeterminateReason =
  | 'fact_not_recorded'
  | 'facts_not_recorded'
  | 'facts_erased'
  | 'schema_mismatch'
  | 'phase_not_reached'
  | 'phase_not_recorded'
  | 'input_fact_not_exposed'
  | 'orbiset_changed'
  | 'digest_mismatch';

export interface Indeterminate {
  readonly kind: 'indeterminate';
  readonly reason: IndeterminateReason;
  /** The fact that is missing; undefined: it is not about one fact. */
  readonly fact: string | undefined;
}

export const indeterminate = (reason: IndeterminateReason, fact?: string): Indeterminate => ({
  kind: 'indeterminate',
  reason,
  fact,
});

/**
 * Schemas whose snapshots this program reads, the oldest first. Each has the facts of those before it. A fact that its
 * schema has and a snapshot has not was absent at that time: rules that read it failed, and fail again.
 */
export const READABLE_SCHEMAS: readonly string[] = [FACTS_SCHEMA];

/** Whether programs that wrote a schema knew a fact. @param schemas the oldest first */
export const isKnownTo = (since: string, schema: string, schemas: readonly string[]): boolean =>
  schemas.includes(since) && schemas.indexOf(since) <= schemas.indexOf(schema);

/** The value of a fact; undefined: it is absent. */
function factAt(facts: Facts, path: string): unknown {
  const root = rootOf(path);
  return member(member(facts, root), path.slice(root.length + 1));
}

/**
 * Whether a value of an input is missing although the caller sent one: the policies of that time may not have declared
 * it. `request.fields` lists what the caller sent, so an input that is not in it was absent.
 */
function mayBeHidden(name: string, facts: Facts, run: RecordedRun): boolean {
  if (run.inputNames.includes(name) || member(objectAt(facts, 'inputs'), name) !== undefined) return false;
  const isListed = factAt(facts, 'request.fields') !== undefined;
  return !isListed || listAt(objectAt(facts, 'request'), 'fields').includes(name);
}

function missing(path: string, facts: Facts, run: RecordedRun, schema: string): Indeterminate | undefined {
  if (path.startsWith('inputs.')) {
    const isHidden = mayBeHidden(path.slice('inputs.'.length), facts, run);
    return isHidden ? indeterminate('input_fact_not_exposed', path) : undefined;
  }
  const since = ORB_FACTS.facts.get(path)?.since ?? '';
  return isKnownTo(since, schema, READABLE_SCHEMAS) ? undefined : indeterminate('fact_not_recorded', path);
}

/** The first fact that policies of a phase read, and that nobody knows of this run. */
export function missingFact(set: PolicySet, facts: Facts, phase: Phase, run: RecordedRun): Indeterminate | undefined {
  const schema = run.snapshots[0]?.schema ?? '';
  for (const { definition, isMatch, compiled } of set.members) {
    if (compiled.readsFacts.length === 0 || !definition.phases.includes(phase) || !isMatch(facts)) continue;
    for (const path of compiled.readsFacts) {
      const found = missing(path, facts, run, schema);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
