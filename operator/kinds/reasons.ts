import type { Reasons } from '../../core/reconcile/reasons.ts';
import { OPERATOR_KINDS } from './kinds.ts';

/** Every reason that a condition of a resource can have, by kind and condition type. */
export const REASONS: Readonly<Record<string, Reasons>> = Object.fromEntries(
  OPERATOR_KINDS.flatMap(({ kind, reasons }) => (reasons === undefined ? [] : [[kind.kind, reasons] as const])),
);
