package main

import (
	"math"
	"slices"
)

type criterion struct {
	ID       string `json:"id"`
	Tier     string `json:"tier"`
	Met      bool   `json:"met"`
	Required any    `json:"required"`
	Actual   any    `json:"actual"`
}

// rounded is a real number as profiles show it: six decimals.
func rounded(value float64) float64 { return math.Floor(value*1e6+0.5) / 1e6 }

func atLeast(tier, id string, required, actual float64) criterion {
	return criterion{id, tier, actual >= required, required, rounded(actual)}
}

func holds(tier, id string, met bool) criterion { return criterion{id, tier, met, true, met} }

func testedAs(tier, id string, found *tests, accepted ...string) criterion {
	if found == nil {
		return criterion{id, tier, false, accepted[0], nil}
	}
	return criterion{id, tier, slices.Contains(accepted, found.provenance), accepted[0], found.provenance}
}

// criteriaOf lists the criteria of all tiers in their order.
func criteriaOf(found *evidence, result *score) []criterion {
	points, n, callers, age := float64(result.bp)/100, result.n, float64(result.callers), float64(found.age)
	bronze := atLeast("bronze", "RELIABILITY_GE_0_80", 0.8, result.reliability)
	bronze.Met = bronze.Met || n < 20
	openMajor := slices.ContainsFunc(found.incidents, func(one bad) bool { return one.open && one.what != "minor" })
	highViolation := slices.ContainsFunc(found.violations, func(one bad) bool {
		return one.age <= 90 && (one.what == "high" || one.what == "critical")
	})
	return []criterion{
		atLeast("bronze", "SCORE_GE_40", 40, points),
		holds("bronze", "TESTS_REQUIRED_PASS", result.testsCurrent),
		holds("bronze", "NAMESPACE_VERIFIED", found.verified),
		holds("bronze", "NO_ACTIVE_CAP", len(result.caps) == 0),
		bronze,
		atLeast("silver", "SCORE_GE_70", 70, points),
		atLeast("silver", "RUNS_EFFECTIVE_GE_100", 100, n),
		atLeast("silver", "RELIABILITY_GE_0_95", 0.95, result.reliability),
		atLeast("silver", "CALLERS_GE_5", 5, callers),
		atLeast("silver", "AGE_DAYS_GE_14", 14, age),
		holds("silver", "NO_OPEN_MAJOR_INCIDENT", !openMajor),
		holds("silver", "NAMESPACE_NOT_SUSPENDED_90D", found.suspensionAge == nil || *found.suspensionAge >= 90),
		atLeast("gold", "SCORE_GE_85", 85, points),
		atLeast("gold", "RUNS_EFFECTIVE_GE_500", 500, n),
		atLeast("gold", "RELIABILITY_GE_0_98", 0.98, result.reliability),
		atLeast("gold", "LATENCY_GE_0_90", 0.9, result.latency),
		atLeast("gold", "CALLERS_GE_20", 20, callers),
		atLeast("gold", "AGE_DAYS_GE_45", 45, age),
		testedAs("gold", "TESTS_NOT_SELF_REPORTED", found.tests, "receipted", "platform", "independent"),
		holds("gold", "NO_HIGH_VIOLATION_90D", !highViolation),
		atLeast("platinum", "SCORE_GE_95", 95, points),
		atLeast("platinum", "RUNS_EFFECTIVE_GE_5000", 5000, n),
		atLeast("platinum", "RELIABILITY_GE_0_99", 0.99, result.reliability),
		atLeast("platinum", "CALLERS_GE_50", 50, callers),
		atLeast("platinum", "AGE_DAYS_GE_180", 180, age),
		testedAs("platinum", "TESTS_INDEPENDENT", found.tests, "independent"),
		// The log has no witnesses yet.
		holds("platinum", "LOG_WITNESSED", true),
	}
}

// judge returns the criteria, and the highest tier whose criteria and those of all lower tiers hold.
func judge(found *evidence, result *score) (criteria []criterion, tier string) {
	criteria, tier = criteriaOf(found, result), "uncertified"
	for _, next := range []string{"bronze", "silver", "gold", "platinum"} {
		if slices.ContainsFunc(criteria, func(one criterion) bool { return one.Tier == next && !one.Met }) {
			break
		}
		tier = next
	}
	return criteria, tier
}
