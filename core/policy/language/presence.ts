import type { Type } from './types.ts';
import { pathOf } from './scope.ts';
import type { Node } from './tree.ts';

const joinedSets = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((set) => [...set]));

/**
 * Facts that `has` finds present when the condition has the given value. Order does not matter: CEL gives false for
 * `fails && false`, and true for `fails || true`.
 * Example: of `has(orb.age_days) && orb.age_days < 7`, being true: `orb.age_days`.
 */
export function presentWhen(node: Node, value: boolean, locals: ReadonlyMap<string, Type>): ReadonlySet<string> {
  if (node.kind === 'select' && node.isTest) {
    const path = pathOf({ ...node, isTest: false }, locals);
    return new Set(value && path !== undefined ? [path] : []);
  }
  if (node.kind !== 'call') return new Set();
  const [first] = node.args;
  if (node.name === '!_' && first !== undefined) return presentWhen(first, !value, locals);
  const isChain = node.name === (value ? '_&&_' : '_||_');
  return isChain ? joinedSets(node.args.map((part) => presentWhen(part, value, locals))) : new Set();
}
