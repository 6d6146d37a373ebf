import { REASONS } from '../../../operator/kinds/reasons.ts';

/** Every reason that the resource reference documents. */
export const documentedReasons: ReadonlySet<string> = new Set(
  Object.values(REASONS).flatMap((types) => Object.values(types).flatMap((reasons) => Object.keys(reasons))),
);
