package main

import (
	"encoding/json"
	"fmt"
	"reflect"
)

type part struct {
	ID    string  `json:"id"`
	Value float64 `json:"value"`
}

type factor struct {
	ID     string  `json:"id"`
	Factor float64 `json:"factor"`
}

type effective struct {
	N        float64  `json:"n_eff"`
	S        float64  `json:"s_eff"`
	L        float64  `json:"l_eff"`
	Callers  int      `json:"callers"`
	Excluded excluded `json:"excluded"`
}

// profile has the members of a profile that follow from the log alone.
type profile struct {
	OrbID        string      `json:"orb_id"`
	Digest       string      `json:"manifest_digest"`
	Score        int         `json:"reputation_score"`
	ScoreBp      int         `json:"score_bp"`
	Tier         string      `json:"computed_tier"`
	Confidence   string      `json:"confidence"`
	Algorithm    string      `json:"algorithm"`
	Evidence     effective   `json:"evidence"`
	Components   []part      `json:"components"`
	Penalties    []factor    `json:"penalties"`
	Caps         []string    `json:"caps"`
	Criteria     []criterion `json:"criteria"`
	ComputedOver struct {
		TreeSize int64  `json:"tree_size"`
		Root     string `json:"root_hash"`
		AsOf     string `json:"as_of"`
	} `json:"computed_over"`
}

// computed is one Orb with everything that was computed for it.
type computed struct {
	orb      published
	size     int64
	evidence *evidence
	score    *score
	criteria []criterion
	tier     string
}

func (found computed) profile(root string, expected profile) profile {
	result := found.score
	own := expected // tree size and day are given
	own.OrbID, own.Digest, own.Algorithm = found.orb.id, found.orb.digest, "orb-reputation/1"
	own.Score, own.ScoreBp, own.Tier, own.Confidence = result.bp/100, result.bp, found.tier, result.confidence
	own.Evidence = effective{rounded(result.n), rounded(result.s), rounded(result.l), result.callers, found.evidence.excluded}
	own.Components = []part{
		{"reliability", rounded(result.partReliability)}, {"latency", rounded(result.partLatency)}, {"tests", rounded(result.partTests)},
	}
	own.Penalties = []factor{
		{"violations", rounded(result.factorPolicy)}, {"incidents", rounded(result.factorIncidents)}, {"receipts", rounded(result.factorReceipts)},
	}
	own.Caps = append([]string{}, result.caps...)
	own.Criteria = found.criteria
	own.ComputedOver.Root = root
	return own
}

// differences names each member of the profile that does not follow from the log.
func differences(log *verifiedLog, expected profile, found computed) []string {
	root, err := log.rootAt(found.size)
	if err != nil {
		return []string{err.Error()}
	}
	own := found.profile(root.String(), expected)
	var texts []string
	wanted, computed := reflect.ValueOf(expected), reflect.ValueOf(own)
	for i := range wanted.NumField() {
		given, err1 := json.Marshal(wanted.Field(i).Interface())
		follows, err2 := json.Marshal(computed.Field(i).Interface())
		if err1 != nil || err2 != nil || string(given) != string(follows) {
			name := wanted.Type().Field(i).Tag.Get("json")
			texts = append(texts, fmt.Sprintf("the profile differs: %s is %s, recomputed %s", name, given, follows))
		}
	}
	return texts
}
