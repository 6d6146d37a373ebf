package main

import (
	"cmp"
	"slices"
	"time"
)

// published is a version, by its first `publish` entry.
type published struct {
	id, digest string
	index      int64
}

type placed struct {
	index int64
	*entry
}

// history holds the entries that scores are computed from, in the order of the log.
type history struct {
	byLine, byOrg map[string][]placed
	// Index of the first retraction, by the index of the entry that it takes out.
	retracted map[int64]int64
	versions  []published
}

func isRetractable(kind string) bool {
	return slices.Contains([]string{"receipt", "violation", "incident", "test_report", "audit"}, kind)
}

func readHistory(texts [][]byte) *history {
	history := &history{map[string][]placed{}, map[string][]placed{}, map[int64]int64{}, nil}
	kinds := make([]string, len(texts))
	seen := map[string]bool{}
	for i, text := range texts {
		index, found := int64(i), readEntry(text)
		if found == nil {
			continue
		}
		kinds[i] = found.kind
		switch {
		case found.kind == "retraction":
			_, again := history.retracted[found.target]
			if found.target < index && isRetractable(kinds[found.target]) && !again {
				history.retracted[found.target] = index
			}
		case found.kind == "org":
			history.byOrg[found.org] = append(history.byOrg[found.org], placed{index, found})
		case found.orbID != "":
			line := lineOf(found.orbID)
			history.byLine[line] = append(history.byLine[line], placed{index, found})
		}
		if found.kind == "publish" && !seen[found.orbID] {
			seen[found.orbID] = true
			history.versions = append(history.versions, published{found.orbID, found.digest, index})
		}
	}
	return history
}

// orbs are all published versions, by id.
func (history *history) orbs() []published {
	return slices.SortedFunc(slices.Values(history.versions), func(a, b published) int { return cmp.Compare(a.id, b.id) })
}

// group is runs of one caller, of one month, age and version.
type group struct {
	caller, epoch string
	age           int
	otherVersion  bool
	self          bool
}

type counts struct{ runs, success, withinSlo float64 }

type bad struct {
	what string
	age  int
	open bool
}

type tests struct {
	required, passed int64
	age              int
	provenance       string
}

type excluded struct {
	Self          int `json:"self"`
	CallerError   int `json:"caller_error"`
	PlatformError int `json:"platform_error"`
	PolicyDenied  int `json:"policy_denied"`
}

// evidence is the input of the formula.
type evidence struct {
	groups                    map[group]counts
	tests                     *tests
	violations, incidents     []bad
	total, invalid, invalid7d int64
	suspended, verified       bool
	age                       int
	suspensionAge             *int
	excluded                  excluded
}

// daysBetween is the age of a day in whole days, at least 0.
func daysBetween(day, asOf string) int {
	from, _ := time.Parse(time.DateOnly, day)
	to, _ := time.Parse(time.DateOnly, asOf)
	return max(0, int(to.Sub(from).Hours()/24))
}

// counted are the entries below a size that were not retracted there.
func (history *history) counted(all []placed, size int64) []placed {
	var kept []placed
	for _, one := range all {
		at, isRetracted := history.retracted[one.index]
		if one.index < size && !(isRetracted && at < size) {
			kept = append(kept, one)
		}
	}
	return kept
}

func (found *evidence) addRun(run placed, orb published, asOf string) {
	age := daysBetween(run.day, asOf)
	key := group{run.caller, run.day[:len("2006-01")], age, run.digest != orb.digest, run.self}
	sum := found.groups[key]
	shown := age <= 90
	switch run.outcome {
	case "success":
		sum.runs++
		sum.success++
		if run.durationMs <= run.sloMs {
			sum.withinSlo++
		}
	case "orb_error", "timeout":
		sum.runs++
	}
	if sum.runs > 0 {
		found.groups[key] = sum
	}
	switch {
	case !shown:
	case run.self:
		found.excluded.Self++
	case run.outcome == "caller_error":
		found.excluded.CallerError++
	case run.outcome == "platform_error":
		found.excluded.PlatformError++
	case run.outcome == "policy_denied":
		found.excluded.PolicyDenied++
	}
}

func (found *evidence) addAudit(audit placed, asOf string) {
	age := daysBetween(audit.day, asOf)
	if age <= 30 {
		found.total += audit.checked
		found.invalid += audit.invalid
	}
	if age <= 7 {
		found.invalid7d += audit.invalid
	}
}

// addIncidents takes the last entry of each incident.
func (found *evidence) addIncidents(entries []placed, asOf string) {
	last, order := map[string]placed{}, []string{}
	for _, one := range entries {
		if one.kind != "incident" {
			continue
		}
		if _, known := last[one.incidentID]; !known {
			order = append(order, one.incidentID)
		}
		last[one.incidentID] = one
	}
	for _, id := range order {
		one := last[id]
		if !one.attributed || one.event == "withdrawn" {
			continue
		}
		incident := bad{one.impact, 0, one.event != "resolved"}
		if !incident.open {
			incident.age = daysBetween(one.day, asOf)
		}
		found.incidents = append(found.incidents, incident)
	}
}

// addOrg: `restored` alone ends a suspension, a later `verified` does not.
func (found *evidence) addOrg(entries []placed, asOf string) {
	suspended, verified := false, false
	for _, one := range entries {
		verified = one.event == "verified" || one.event == "restored"
		switch one.event {
		case "suspended":
			suspended = true
			age := daysBetween(one.day, asOf)
			found.suspensionAge = &age
		case "restored":
			suspended = false
		}
	}
	found.verified = verified && !suspended
	found.suspended = found.suspended || suspended
}

// evidence derives the input of the formula from the first `size` entries, for one version at one day.
func (history *history) evidence(orb published, size int64, asOf string) *evidence {
	found := &evidence{groups: map[group]counts{}}
	entries := history.counted(history.byLine[lineOf(orb.id)], size)
	hasAge := false
	for _, one := range entries {
		switch one.kind {
		case "receipt":
			found.addRun(one, orb, asOf)
		case "publish":
			if !hasAge {
				found.age, hasAge = daysBetween(one.day, asOf), true
			}
		case "test_report":
			if one.digest == orb.digest {
				found.tests = &tests{one.required, one.passed, daysBetween(one.testedDay, asOf), one.provenance}
			}
		case "violation":
			found.violations = append(found.violations, bad{what: one.severity, age: daysBetween(one.day, asOf)})
		case "audit":
			found.addAudit(one, asOf)
		case "orb_status":
			if one.orbID == orb.id {
				found.suspended = one.status == "suspended"
			}
		}
	}
	found.addIncidents(entries, asOf)
	found.addOrg(history.counted(history.byOrg[orgOf(orb.id)], size), asOf)
	return found
}
