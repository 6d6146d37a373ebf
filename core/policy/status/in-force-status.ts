import type { JsonObject } from '../../json/json-value.ts';
import { withTransitions, type Condition, type WantedCondition } from '../../reconcile/conditions.ts';
import type { KubeObject } from '../../reconcile/kube-object.ts';
import { conditionsOf, generationOf } from '../../reconcile/read-object.ts';
import { MAX_SET_UNITS } from '../decision/cost-budget.ts';
import type { GateVerdict } from '../simulation/gate.ts';

/** The part of the status of a policy that the API owns (security.md §6.1). */
export const IN_FORCE_PART = {
  members: ['activeDigest', 'lastReplay'],
  conditions: ['ReplayGatePassed', 'WithinBudget'],
} as const;

/** A finished replay, as a status shows it. */
interface FinishedReplay {
  readonly replayId: string;
  readonly policyDigest: string;
  readonly evaluated: number;
  readonly newDenies: number;
  readonly indeterminate: number;
  /** ms since the epoch */
  readonly endedAt: number;
}

/** What the API knows of a policy. */
export interface InForceFacts {
  /** Digest of the version in force; undefined: none is. */
  readonly activeDigest: string | undefined;
  /** This generation is the version in force, or is kept out by the budget alone. */
  readonly isTaken: boolean;
  readonly isOverBudget: boolean;
  /** Undefined: the version asks for no replay. */
  readonly gate: (GateVerdict & { readonly newest: FinishedReplay | undefined }) | undefined;
}

const condition = (type: string, isTrue: boolean, reason: string, message: string): WantedCondition => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message,
});

const gatePassed = (isTrue: boolean, reason: string, message: string): WantedCondition =>
  condition('ReplayGatePassed', isTrue, reason, message);

function gateCondition({ passed, failing, newest }: NonNullable<InForceFacts['gate']>): WantedCondition {
  if (newest === undefined) return gatePassed(false, 'ReplayMissing', 'No replay of this version has finished yet.');
  if (passed)
    return gatePassed(true, 'ReplayPassed', 'A finished replay meets every limit of spec.promotion.requireReplay.');
  const limits = failing.map(({ limit, allowed, actual }) => `${limit}: ${actual}, and ${allowed} is the limit`);
  return gatePassed(false, 'ReplayFailed', `${newest.replayId} does not meet the limits. ${limits.join('. ')}.`);
}

const budgetCondition = (isOver: boolean): WantedCondition =>
  isOver
    ? condition(
        'WithinBudget',
        false,
        'CostBudget',
        `With this policy, a decision may cost more than ${MAX_SET_UNITS} units in a phase: it is not in force. Make it or other policies cheaper.`,
      )
    : condition('WithinBudget', true, 'WithinBudget', 'It fits into the budget of a decision.');

const replayMember = ({ replayId, endedAt, ...totals }: FinishedReplay): JsonObject => ({
  id: replayId,
  policyDigest: totals.policyDigest,
  evaluated: totals.evaluated,
  newDenies: totals.newDenies,
  indeterminate: totals.indeterminate,
  at: new Date(endedAt).toISOString(),
});

/**
 * The part of the status of a policy that the API owns: what is in force, and why it is not.
 * @param now ms since the epoch
 */
export function inForceStatus(
  policy: KubeObject,
  { activeDigest, isTaken, isOverBudget, gate }: InForceFacts,
  now: number,
): JsonObject & { readonly conditions: readonly (Condition & JsonObject)[] } {
  const wanted = isTaken ? [budgetCondition(isOverBudget), ...(gate === undefined ? [] : [gateCondition(gate)])] : [];
  const conditions = withTransitions(wanted, conditionsOf(policy), { generation: generationOf(policy), now });
  return {
    ...(activeDigest === undefined ? {} : { activeDigest }),
    ...(gate?.newest === undefined ? {} : { lastReplay: replayMember(gate.newest) }),
    conditions: conditions.map((one) => ({ ...one })),
  };
}
