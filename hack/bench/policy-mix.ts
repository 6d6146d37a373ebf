// The mix of policy.md §7: 20 conditions that are false for the benchmarks' Orbs and callers, 12 of which read nothing
// of the run. One has a pattern.

const STABLE = [
  'orb.tier_rank == 4',
  'orb.score > 99',
  'orb.publisher_verified && orb.org == "evil"',
  'orb.org == "evil"',
  '"nothing" in caller.scopes',
  'has(orb.labels.blocked)',
  'orb.hosts.exists(h, h.endsWith(".test"))',
  'orb.name.matches("^(internal|debug)[.-]")',
  'caller.kind == "anonymous"',
  'has(orb.age_days) && orb.age_days > 100000',
  'orbiset.name == "quarantine"',
  'orb.providers.size() > 8',
];

/** Those that read the run. */
export const OF_RUN = [
  'caller.runs_today >= 100000000',
  'orbiset.runs_today >= 100000000',
  'orbiset.orb_runs_today * 850 >= 10000000000000',
  'run.has_idempotency_key && orb.org == "evil"',
  'run.started_at.getHours() >= 24 || run.started_at.getFullYear() < 2020',
  'request.fields.exists(f, f.startsWith("secret."))',
  'request.input_bytes > 65536',
  'request.fields.size() > 100',
];

export const MIX = [...STABLE, ...OF_RUN];
