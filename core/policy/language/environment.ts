import { celEnv, plan, type CelInput, type CelResult } from '@bufbuild/cel';
import { Patterns } from './patterns.ts';
import type { Expr } from './tree.ts';

/** Values that an expression reads, by the first part of their names. Without a prototype. */
export type Activation = Record<string, CelInput>;

/** An expression that is ready to be evaluated. Errors are values: test with `isCelError`. */
export type Evaluation = (values: Activation) => CelResult;

/** Compiled patterns of all policies of this process. */
export const PATTERNS = new Patterns();

// Without the extension for strings: its functions belong to one library alone (policy.md §1).
const ENVIRONMENT = celEnv({ re2: { compile: (pattern) => PATTERNS.compile(pattern) } });

/** Prepares an expression for evaluation, once for each policy. */
export const evaluationOf = (expr: Expr): Evaluation => plan(ENVIRONMENT, expr);
