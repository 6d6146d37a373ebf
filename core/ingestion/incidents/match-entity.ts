import type { Finding } from '../../manifest/finding.ts';
import { parseOrbId } from '../../manifest/orb-id.ts';
import { BoundValues, compileUntyped, type UntypedExpression } from '../../policy/language/compile-untyped.ts';
import type { EventDraft } from '../mapping/signal.ts';

const WHEN_UNITS = 10_000;
const ROOTS = ['labels', 'names', 'title', 'kind', 'status', 'severity'];

/** Exactly one target. */
export type Target =
  /** An Orb's id; its version may be `*`, the one that the Orbiset runs. */
  | { readonly kind: 'orb'; readonly orb: string }
  | { readonly kind: 'provider'; readonly host: string }
  /** A component of the status page; for sources of the platform's namespace alone. */
  | { readonly kind: 'service'; readonly service: string };

/** A line of `match`: the first whose condition is true counts. */
export interface MatchRule {
  /** CEL over labels, names, title, kind, status and severity. */
  readonly when: string;
  readonly target: Target;
}

export interface CompiledMatch {
  readonly when: UntypedExpression;
  /** The condition as it was written. */
  readonly text: string;
  readonly target: Target;
}

export type MatchResult =
  | { readonly ok: true; readonly rules: readonly CompiledMatch[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Compiles the conditions of a source; pointers are below `/spec/match`. */
export function compileMatch(rules: readonly MatchRule[]): MatchResult {
  const findings: Finding[] = [];
  const compiled = rules.flatMap(({ when, target }, index) => {
    const result = compileUntyped(when, { roots: ROOTS, units: WHEN_UNITS, pointer: `/spec/match/${index}/when` });
    if (result.ok) return [{ when: result.expression, text: when, target }];
    findings.push(result.finding);
    return [];
  });
  return findings.length > 0 ? { ok: false, findings } : { ok: true, rules: compiled };
}

export type Entity =
  | Target
  | { readonly kind: 'unmatched'; readonly reason: 'no_entity' | 'ambiguous_entity'; readonly pointer: string };

const unmatched = (reason: 'no_entity' | 'ambiguous_entity', pointer: string): Entity => ({
  kind: 'unmatched',
  reason,
  pointer,
});

/** An Orb with its version. @param running ids of the Orbs that the source's namespace runs */
function withVersion(target: Target, running: readonly string[], pointer: string): Entity {
  if (target.kind !== 'orb' || !target.orb.endsWith('@*')) return target;
  const [orb, ...more] = [...new Set(running.filter((id) => id.startsWith(target.orb.slice(0, -1))))];
  if (orb === undefined) return unmatched('no_entity', pointer);
  return more.length > 0 ? unmatched('ambiguous_entity', pointer) : { kind: 'orb', orb };
}

/** Label `orb_id`, else names that are ids of Orbs. */
function named({ labels, names }: EventDraft): Entity {
  const label = labels['orb_id'];
  const candidates = label === undefined ? names : [label];
  const [orb, ...more] = [...new Set(candidates.filter((name) => parseOrbId(name).ok))];
  if (orb === undefined) return unmatched('no_entity', '/spec/match');
  return more.length > 0 ? unmatched('ambiguous_entity', '/spec/match') : { kind: 'orb', orb };
}

/**
 * What a signal is about: the target of the first rule that is true, else the Orb that the signal names. A condition that
 * fails, for example because a label is absent, is false.
 * @param running ids of the Orbs that the source's namespace runs, for targets without a version
 */
export function matchEntity(event: EventDraft, rules: readonly CompiledMatch[], running: readonly string[]): Entity {
  const { labels, names, title, kind, status, severity } = event;
  const values = new BoundValues({ labels, names, title, kind, status, severity });
  const index = rules.findIndex(({ when }) => when.evaluate(values) === true);
  const rule = rules[index];
  return rule === undefined ? named(event) : withVersion(rule.target, running, `/spec/match/${index}`);
}
