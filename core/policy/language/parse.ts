import { parse } from '@bufbuild/cel';
import { member } from '../../json/members.ts';
import { boundSource } from './source-bounds.ts';
import type { CheckedType } from './check-types.ts';
import type { PolicyLintCode } from './lint-codes.ts';
import type { Problem } from './scope.ts';
import { MAX_NODES, TooManyNodes, treeOf, type Node } from './tree.ts';

export type ParsedExpression =
  | { readonly ok: true; readonly tree: Node }
  | { readonly ok: false; readonly problem: Problem };

const failed = (code: PolicyLintCode, at: number, detail: string): ParsedExpression => ({
  ok: false,
  problem: { code, severity: 'error', at, detail },
});

/** Offset of a syntax error of the evaluator's parser. */
function offsetOf(thrown: unknown): number {
  const offset = member(member(member(thrown, 'location'), 'start'), 'offset');
  return typeof offset === 'number' ? offset : 0;
}

/**
 * Parses an expression for the evaluator. Never throws.
 * @param check the other parser's answer to the same text; its words for a syntax error are better
 * @returns the tree, or `too-large`, `too-deep` or `parse-error`
 */
export function parseExpression(source: string, check: (source: string) => CheckedType): ParsedExpression {
  const outside = boundSource(source);
  if (outside !== undefined) return { ok: false, problem: outside };
  try {
    return { ok: true, tree: treeOf(parse(source), source) };
  } catch (thrown) {
    if (thrown instanceof TooManyNodes)
      return failed('too-large', 0, `more than ${MAX_NODES} parts: divide the expression with variables`);
    const checked = check(source);
    if (!checked.ok && checked.problem.code === 'parse-error') return { ok: false, problem: checked.problem };
    return failed('parse-error', offsetOf(thrown), 'this is no CEL expression from here on');
  }
}
