package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// entry is one log entry of a kind that the score reads. A kind sets only its own members.
type entry struct {
	kind, orbID, digest, org          string
	caller, outcome, day              string
	event, impact, severity, status   string
	provenance, incidentID, testedDay string
	self, attributed                  bool
	durationMs, sloMs                 int64
	required, passed                  int64
	checked, invalid, target          int64
}

var (
	outcomes = "success orb_error timeout policy_denied caller_error platform_error"
	// Members beside `v` and `kind`, each with its form: text, text? (or null), time, count, boolean, or some words.
	forms = map[string]map[string]string{
		"receipt": {"receipt_id": "text", "orb_id": "text", "manifest_digest": "text", "caller_tag": "text", "self": "boolean",
			"outcome": outcomes, "duration_ms": "count", "slo_ms": "count", "finished_at": "time", "jws_sha256": "text"},
		"publish": {"orb_id": "text", "manifest_digest": "text", "org": "text", "ontology": "text", "at": "time"},
		"test_report": {"orb_id": "text", "manifest_digest": "text", "suite_digest": "text?", "report_sha256": "text",
			"required": "count", "passed": "count", "provenance": "text", "tested_at": "time", "at": "time"},
		"incident": {"incident_id": "text", "orb_id": "text?", "impact": "minor major critical",
			"event": "opened updated resolved withdrawn", "attributed": "boolean", "at": "time"},
		"violation": {"orb_id": "text", "manifest_digest": "text", "rule": "text", "severity": "low medium high critical",
			"receipt_id": "text?", "at": "time"},
		"audit":      {"orb_id": "text", "manifest_digest": "text", "checked": "count", "invalid": "count", "at": "time"},
		"org":        {"org": "text", "event": "verified unverified suspended restored", "proof": "text", "at": "time"},
		"orb_status": {"orb_id": "text", "status": "active deprecated yanked suspended", "reason": "text", "at": "time"},
		"retraction": {"index": "count", "reason": "text", "at": "time"},
	}
	timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$`)
)

const largestInteger = 1<<53 - 1

func fits(form string, value any) bool {
	text, isText := value.(string)
	switch form {
	case "text":
		return isText
	case "text?":
		return isText || value == nil
	case "boolean":
		_, is := value.(bool)
		return is
	case "count":
		number, is := value.(json.Number)
		count, err := number.Int64()
		return is && err == nil && count >= 0 && count <= largestInteger
	case "time":
		_, err := time.Parse(time.RFC3339Nano, text)
		return isText && err == nil && timeForm.MatchString(text)
	default:
		return isText && slices.Contains(strings.Fields(form), text)
	}
}

// readEntry returns nil for an entry that the score does not read: of another kind, or not in the form of its kind.
func readEntry(text []byte) *entry {
	var members map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if decoder.Decode(&members) != nil || decoder.More() || members["v"] != json.Number("1") {
		return nil
	}
	kind, _ := members["kind"].(string)
	form, known := forms[kind]
	if !known || len(members) != len(form)+2 {
		return nil
	}
	for name, expected := range form {
		value, present := members[name]
		if !present || !fits(expected, value) {
			return nil
		}
	}
	str := func(name string) string { value, _ := members[name].(string); return value }
	day := func(name string) string { value := str(name); return value[:min(len(value), len(time.DateOnly))] }
	flag := func(name string) bool { value, _ := members[name].(bool); return value }
	count := func(name string) int64 { value, _ := members[name].(json.Number); n, _ := value.Int64(); return n }
	found := &entry{
		kind: kind, orbID: str("orb_id"), digest: str("manifest_digest"), org: str("org"),
		caller: str("caller_tag"), outcome: str("outcome"), day: day("at"),
		event: str("event"), impact: str("impact"), severity: str("severity"), status: str("status"),
		provenance: str("provenance"), incidentID: str("incident_id"), testedDay: day("tested_at"),
		self: flag("self"), attributed: flag("attributed"),
		durationMs: count("duration_ms"), sloMs: count("slo_ms"), required: count("required"), passed: count("passed"),
		checked: count("checked"), invalid: count("invalid"), target: count("index"),
	}
	if kind == "receipt" {
		found.day = day("finished_at")
	}
	return found
}

// lineOf names the versions that share their evidence: the same major version, below 1.0.0 the same minor version.
func lineOf(orbID string) string {
	name, version, _ := strings.Cut(orbID, "@")
	parts := strings.SplitN(version, ".", 3)
	if parts[0] == "0" && len(parts) > 1 {
		return name + "@0." + parts[1]
	}
	return name + "@" + parts[0]
}

func orgOf(orbID string) string {
	org, _, _ := strings.Cut(orbID, ".")
	return org
}
