package main

import (
	"cmp"
	"math"
	"slices"
)

// score is the result of the formula, with what it was computed from.
type score struct {
	n, s, l                       float64
	callers                       int
	reliability, latency          float64 // lower bounds
	partReliability, partLatency  float64
	partTests                     float64
	factorPolicy, factorIncidents float64
	factorReceipts                float64
	caps                          []string
	testsCurrent                  bool
	bp                            int
	confidence                    string
}

const z = 1.96

// lowerBound is Wilson's, of a rate. The conversions keep the compiler from fusing operations, which would round less.
func lowerBound(s, n float64) float64 {
	if n == 0 {
		return 0
	}
	p, zz := s/n, float64(z*z)
	spread := z * math.Sqrt((float64(p*(1-p))+zz/(4*n))/n)
	return math.Max(0, (p+zz/(2*n)-float64(spread))/(1+zz/n))
}

func clamp01(value float64) float64 { return math.Min(1, math.Max(0, value)) }

func compareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// sortedGroups: sums are floating point, so their order is part of the result.
func sortedGroups(groups map[group]counts) []group {
	var keys []group
	for key := range groups {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.epoch, b.epoch), cmp.Compare(a.age, b.age),
			compareFlags(a.otherVersion, b.otherVersion), compareFlags(a.self, b.self))
	})
	return keys
}

// addRuns computes the effective runs: decayed, and limited for each caller.
func (result *score) addRuns(groups map[group]counts) {
	type sums struct{ n, s, l float64 }
	byCaller, order, months := map[string]*sums{}, []string{}, map[string]map[string]bool{}
	for _, key := range sortedGroups(groups) {
		if key.self {
			continue
		}
		weight := math.Exp2(-float64(key.age) / 30)
		if key.otherVersion {
			weight *= 0.5
		}
		runs := groups[key]
		if float64(weight*runs.runs) <= 0 {
			continue
		}
		caller := byCaller[key.caller]
		if caller == nil {
			caller = &sums{}
			byCaller[key.caller] = caller
			order = append(order, key.caller)
		}
		caller.n += float64(weight * runs.runs)
		caller.s += float64(weight * runs.success)
		caller.l += float64(weight * runs.withinSlo)
		if months[key.epoch] == nil {
			months[key.epoch] = map[string]bool{}
		}
		months[key.epoch][key.caller] = true
		result.callers = max(result.callers, len(months[key.epoch]))
	}
	total := 0.0
	for _, name := range order {
		total += byCaller[name].n
	}
	limit, failureLimit := math.Max(20, 0.05*total), math.Max(5, 0.01*total)
	for _, name := range order {
		caller := byCaller[name]
		share := math.Min(1, limit/caller.n)
		result.s += float64(share * caller.s)
		result.l += float64(share * caller.l)
		result.n += float64(share*caller.s) + math.Min(float64(share*(caller.n-caller.s)), failureLimit)
	}
}

func testsPart(found *tests) (part float64, current bool) {
	if found == nil || found.age > 90 || found.required == 0 {
		return 0, false
	}
	part = float64(found.passed) / float64(found.required)
	if !slices.Contains([]string{"receipted", "platform", "independent"}, found.provenance) {
		part *= 0.5
	}
	return part, found.passed == found.required
}

func factorOf(events []bad, costs map[string]float64) float64 {
	sum := 0.0
	for _, event := range events {
		sum += float64(costs[event.what] * math.Exp2(-float64(event.age)/90))
	}
	return math.Max(0, 1-sum)
}

// capsOf returns the active caps, and the lowest of their limits.
func capsOf(found *evidence, testsCurrent bool) (ids []string, limit float64) {
	limit = math.Inf(1)
	add := func(active bool, id string, value float64) {
		if active {
			ids, limit = append(ids, id), math.Min(limit, value)
		}
	}
	add(!testsCurrent, "tests_not_current", 0.39)
	add(slices.ContainsFunc(found.incidents, func(one bad) bool { return one.open && one.what == "critical" }),
		"open_critical_incident", 0.3)
	add(slices.ContainsFunc(found.violations, func(one bad) bool { return one.what == "critical" && one.age <= 30 }),
		"critical_violation_30d", 0.3)
	add(found.invalid7d > 0, "invalid_receipt_7d", 0.2)
	add(found.suspended, "suspended", 0)
	return ids, limit
}

func confidenceOf(n float64) string {
	switch {
	case n < 20:
		return "provisional"
	case n < 100:
		return "low"
	case n < 500:
		return "medium"
	}
	return "high"
}

func scoreOf(found *evidence) *score {
	result := &score{factorReceipts: 1}
	result.addRuns(found.groups)
	result.reliability, result.latency = lowerBound(result.s, result.n), lowerBound(result.l, result.s)
	result.partReliability = clamp01((result.reliability - 0.8) / 0.195)
	result.partLatency = clamp01((result.latency - 0.8) / 0.15)
	result.partTests, result.testsCurrent = testsPart(found.tests)
	result.factorPolicy = factorOf(found.violations, map[string]float64{"low": 0.05, "medium": 0.15, "high": 0.4, "critical": 1})
	result.factorIncidents = factorOf(found.incidents, map[string]float64{"minor": 0.1, "major": 0.3, "critical": 0.6})
	if found.total > 0 {
		result.factorReceipts = math.Max(0, 1-float64(100*found.invalid)/float64(found.total))
	}
	base := float64(0.45*result.partReliability) + float64(0.15*result.partLatency) + float64(0.4*result.partTests)
	value := base * result.factorPolicy * result.factorIncidents * result.factorReceipts
	caps, limit := capsOf(found, result.testsCurrent)
	result.caps = caps
	result.bp = int(math.Floor(float64(10000*math.Min(value, limit)) + 1e-6))
	result.confidence = confidenceOf(result.n)
	return result
}
