import { costNow } from './decay.ts';
import { AUDIT_DAYS, countedIncidents, daysBetween, eventsOf, type LineEvidence } from './derive.ts';
import { IMPACT_COST, invalidCost, SEVERITY_COST } from './formula.ts';
import { rounded } from './rounded.ts';

/** An entry of the log that lowers a score. A type alias, because an interface does not count as JSON. */
export type PenaltyItem = {
  readonly log_index: number;
  /** Severity of a violation, impact of an incident; null for an audit. */
  readonly severity: string | null;
  readonly age_days: number;
  /** What it takes from the factor, 0–1. */
  readonly effect: number;
};

/** By factor of the score, in the order of the log. */
export interface PenaltyItems {
  readonly violations: readonly PenaltyItem[];
  readonly incidents: readonly PenaltyItem[];
  readonly receipts: readonly PenaltyItem[];
}

function invalidAudits({ events }: LineEvidence, asOf: string): readonly PenaltyItem[] {
  const audits = eventsOf(events, 'audit')
    .map(({ index, entry }) => ({ index, entry, age: daysBetween(entry.at, asOf) }))
    .filter(({ age }) => age <= AUDIT_DAYS);
  const total = audits.reduce((sum, { entry }) => sum + entry.checked, 0);
  return audits
    .filter(({ entry }) => entry.invalid > 0 && total > 0)
    .map(({ index, entry, age }) => ({
      log_index: index,
      severity: null,
      age_days: age,
      effect: rounded(invalidCost(entry.invalid, total)),
    }));
}

/**
 * The entries behind the penalties of a score (trust.md §5.5).
 * @param asOf day of the evaluation, `YYYY-MM-DD`
 */
export const penaltyItems = (evidence: LineEvidence, asOf: string): PenaltyItems => ({
  violations: eventsOf(evidence.events, 'violation').map(({ index, entry: { severity, at } }) => {
    const age = daysBetween(at, asOf);
    return { log_index: index, severity, age_days: age, effect: rounded(costNow(SEVERITY_COST[severity], age)) };
  }),
  incidents: countedIncidents(evidence.events, asOf).map(({ index, impact, age_days: age }) => ({
    log_index: index,
    severity: impact,
    age_days: age,
    effect: rounded(costNow(IMPACT_COST[impact], age)),
  })),
  receipts: invalidAudits(evidence, asOf),
});
