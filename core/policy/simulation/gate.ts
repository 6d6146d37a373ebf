import type { RequireReplay } from '../../../crds/orbpolicy.ts';
import type { EffectiveMode } from '../decision/policy-set.ts';
import type { PolicyDefinition } from '../document/definition.ts';

const HOUR_MS = 3_600_000;

/** Totals of a finished replay of one version (policy.md §5). */
export interface ReplayTotals {
  readonly policyDigest: string;
  /** Length of the window, ms. */
  readonly windowMs: number;
  /** Receipts that were decided, and receipts that could not be. */
  readonly evaluated: number;
  readonly indeterminate: number;
  /** Runs that were allowed and would be denied; the larger number of both modes of stateful facts. */
  readonly newDenies: number;
}

/** A limit that a replay does not meet. */
interface GateFault {
  readonly limit: 'policyDigest' | 'window' | keyof RequireReplay;
  readonly allowed: number;
  readonly actual: number;
}

export interface GateVerdict {
  readonly passed: boolean;
  readonly failing: readonly GateFault[];
}

const DEFAULTS: Required<RequireReplay> = {
  window: '168h',
  minReceipts: 1000,
  maxNewDenies: 0,
  maxNewDenyPercent: 100,
  maxIndeterminatePercent: 5,
};

const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);

/** Whether a replay meets the limits of a policy: numbers in, verdict out. The limits are inclusive. */
export function gateVerdict(required: RequireReplay, digest: string, replay: ReplayTotals): GateVerdict {
  const limits = { ...DEFAULTS, ...required };
  const hours = Number.parseInt(limits.window, 10);
  const { evaluated, indeterminate, newDenies } = replay;
  const newDenyPercent = percentOf(newDenies, evaluated);
  const indeterminatePercent = percentOf(indeterminate, evaluated + indeterminate);
  const checks: readonly (GateFault & { readonly met: boolean })[] = [
    { limit: 'policyDigest', allowed: 1, actual: 0, met: replay.policyDigest === digest },
    { limit: 'window', allowed: hours, actual: replay.windowMs / HOUR_MS, met: replay.windowMs >= hours * HOUR_MS },
    { limit: 'minReceipts', allowed: limits.minReceipts, actual: evaluated, met: evaluated >= limits.minReceipts },
    { limit: 'maxNewDenies', allowed: limits.maxNewDenies, actual: newDenies, met: newDenies <= limits.maxNewDenies },
    {
      limit: 'maxNewDenyPercent',
      allowed: limits.maxNewDenyPercent,
      actual: newDenyPercent,
      met: newDenyPercent <= limits.maxNewDenyPercent,
    },
    {
      limit: 'maxIndeterminatePercent',
      allowed: limits.maxIndeterminatePercent,
      actual: indeterminatePercent,
      met: indeterminatePercent <= limits.maxIndeterminatePercent,
    },
  ];
  const failing = checks.flatMap(({ met, ...fault }) => (met ? [] : [fault]));
  return { passed: failing.length === 0, failing };
}

/**
 * The mode that holds (policy.md §2): Enforce has an effect only while a finished replay of this version meets the gate.
 * @param replays finished replays of any version of the policy
 * @returns undefined: the policy is disabled
 */
export function effectiveMode(
  { spec, digest }: PolicyDefinition,
  replays: readonly ReplayTotals[],
): EffectiveMode | undefined {
  if (spec.mode === 'Disabled') return undefined;
  const required = spec.promotion?.requireReplay;
  if (spec.mode === 'Audit' || required === undefined) return spec.mode;
  return replays.some((replay) => gateVerdict(required, digest, replay).passed) ? 'Enforce' : 'Audit';
}
