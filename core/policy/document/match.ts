import type { PolicyMatch } from '../../../crds/orbpolicy.ts';
import { listAt, member, objectAt } from '../../json/members.ts';
import type { Facts } from '../language/port.ts';
import { globMatcher } from './glob.ts';

type Test = (facts: Facts) => boolean;

const textAt = (facts: Facts, root: string, name: string): string => {
  const value = member(objectAt(facts, root), name);
  return typeof value === 'string' ? value : '';
};

/** One of the patterns; an empty list means every text. */
function oneOfGlobs(patterns: readonly string[] | undefined, root: string, name: string): readonly Test[] {
  if (patterns === undefined || patterns.length === 0) return [];
  const matchers = patterns.map(globMatcher);
  return [(facts) => matchers.some((matches) => matches(textAt(facts, root, name)))];
}

function labelTests(labels: Readonly<Record<string, string>> | undefined): readonly Test[] {
  return Object.entries(labels ?? {}).map(
    ([label, value]): Test =>
      (facts) =>
        member(objectAt(objectAt(facts, 'orb'), 'labels'), label) === value,
  );
}

function scopeTests(scopes: readonly string[] | undefined): readonly Test[] {
  if (scopes === undefined || scopes.length === 0) return [];
  return [(facts) => listAt(objectAt(facts, 'caller'), 'scopes').some((scope) => scopes.some((one) => one === scope))];
}

/**
 * Whether a policy means a run: all given parts must match, an empty part matches all (policy.md §2). Phases are not
 * looked at.
 */
export function runMatcher({ orbs = {}, orbisets = {}, callers = {} }: PolicyMatch): Test {
  const tests = [
    ...oneOfGlobs(orbs.ids, 'orb', 'orb_id'),
    ...labelTests(orbs.selector?.matchLabels),
    ...oneOfGlobs(orbisets.names, 'orbiset', 'name'),
    ...oneOfGlobs(callers.kinds, 'caller', 'kind'),
    ...oneOfGlobs(callers.ids, 'caller', 'id'),
    ...scopeTests(callers.scopes),
  ];
  return (facts) => tests.every((test) => test(facts));
}
