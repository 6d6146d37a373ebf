// Outsider computes the score of every published Orb from the public log alone. It shares no code with the platform:
// only the specification of the log and of the score. It reads public routes, and the profiles that it compares.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"
)

// result is printed for each Orb, as one line of JSON.
type result struct {
	OrbID    string      `json:"orb_id"`
	TreeSize int64       `json:"tree_size"`
	AsOf     string      `json:"as_of"`
	ScoreBp  int         `json:"score_bp"`
	Tier     string      `json:"computed_tier"`
	Criteria []criterion `json:"criteria"`
}

func readProfiles(file string) (map[string]profile, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var profiles map[string]profile
	return profiles, json.Unmarshal(text, &profiles)
}

// report prints the result of one Orb. It returns what differs from the profile.
func report(log *verifiedLog, history *history, orb published, profiles map[string]profile) []string {
	size, asOf := log.size(), time.Now().UTC().Format(time.DateOnly)
	expected, given := profiles[orb.id]
	if given {
		size, asOf = expected.ComputedOver.TreeSize, expected.ComputedOver.AsOf
	}
	if size < 0 || size > log.size() || orb.index >= size {
		return []string{fmt.Sprintf("computed_over.tree_size is %d: the log has %d entries, and the Orb is entry %d", size, log.size(), orb.index)}
	}
	if _, err := time.Parse(time.DateOnly, asOf); err != nil {
		return []string{"computed_over.as_of is not a day: " + asOf}
	}
	evidence := history.evidence(orb, size, asOf)
	score := scoreOf(evidence)
	criteria, tier := judge(evidence, score)
	line, err := json.Marshal(result{orb.id, size, asOf, score.bp, tier, criteria})
	if err != nil {
		return []string{err.Error()}
	}
	fmt.Println(string(line))
	if given {
		return differences(log, expected, computed{orb, size, evidence, score, criteria, tier})
	}
	if profiles != nil {
		return []string{"no profile was given"}
	}
	return nil
}

func run(base, root, file string) (differ bool, err error) {
	profiles, err := readProfiles(file)
	if err != nil {
		return false, err
	}
	log, err := readLog(base, root)
	if err != nil {
		return false, err
	}
	history := readHistory(log.entries)
	orbs := history.orbs()
	for _, orb := range orbs {
		for _, text := range report(log, history, orb, profiles) {
			differ = true
			fmt.Fprintf(os.Stderr, "%s: %s\n", orb.id, text)
		}
	}
	for id := range profiles {
		if !slices.ContainsFunc(orbs, func(orb published) bool { return orb.id == id }) {
			differ = true
			fmt.Fprintf(os.Stderr, "%s: the log has no such publication\n", id)
		}
	}
	return differ, nil
}

func main() {
	base := flag.String("base", "", "address of the platform, such as https://orbs.example")
	root := flag.String("root", "", "the root key, as the text of a JWK")
	profiles := flag.String("profiles", "", "file with the profiles to compare: an object, by orb_id")
	flag.Parse()
	if *base == "" || *root == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(64)
	}
	differ, err := run(*base, *root, *profiles)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || differ {
		os.Exit(1)
	}
}
