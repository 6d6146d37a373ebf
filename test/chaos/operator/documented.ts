import { REASONS } from '../../../core/reconcile/reasons.ts';

type Tree = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
const kinds: Tree = REASONS;

/** Every reason that the resource reference documents. */
export const documentedReasons: ReadonlySet<string> = new Set(
  Object.values(kinds).flatMap((types) => Object.values(types).flatMap((reasons) => Object.keys(reasons))),
);
