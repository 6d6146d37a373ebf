// `npm run bench policy [-- --seconds 3 --rounds 3]`: how long one decision takes, with its facts, for sets of 1, 5, 20
// and 100 policies of one rule. 12 of 20 rules read nothing of the run, as policy.md §1.4 keeps them; 8 do.
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { decide, NO_ORBISET_POLICIES } from '../../core/policy/decision/decide.ts';
import { KeptResults } from '../../core/policy/decision/kept-results.ts';
import { policySet, type PolicySet } from '../../core/policy/decision/policy-set.ts';
import { aPolicy, aRule, someFacts } from '../../test/support/policies.ts';
import { row, tableOf, type Row } from './table.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
});
const SECONDS = Number(values.seconds);
const ROUNDS = Number(values.rounds);

const OF_RUN = [
  'caller.runs_today >= 1000',
  'orbiset.runs_today >= 100000',
  'orbiset.orb_runs_today * 850 >= 100000000',
  '!run.has_idempotency_key',
  'run.started_at.getHours() >= 24',
  'request.fields.exists(f, f.startsWith("secret."))',
  'request.input_bytes > 65536',
  'request.fields.size() > 100',
];
const STABLE = [
  'orb.tier_rank < 1',
  'orb.score < 50',
  '!orb.publisher_verified',
  'orb.org == "evil"',
  '!("runs:execute" in caller.scopes)',
  'has(orb.labels.blocked)',
  'orb.hosts.exists(h, h.endsWith(".test"))',
  'orb.name.matches("^(internal|debug)[.-]")',
  'caller.kind == "anonymous"',
  'has(orb.age_days) && orb.age_days < 1',
  'orbiset.name == "quarantine"',
  'orb.providers.size() > 8',
];
const MIX = [...STABLE, ...OF_RUN];

const setOf = (conditions: readonly string[], count: number): PolicySet =>
  policySet(
    Array.from({ length: count }, (_, index) =>
      aPolicy({ rules: [aRule('deny', conditions[index % conditions.length] ?? 'false')] }, `p${index}`),
    ),
    [],
  );

/** Microseconds of single decisions, each with facts of its own; sorted. */
function measure(set: PolicySet, kept: KeptResults | undefined): readonly number[] {
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1000;
  for (let run = 0; performance.now() < end; run += 1) {
    const before = performance.now();
    const facts = someFacts({ startedAt: 1_790_000_000_000 + run });
    decide(set, facts, 'PreFlight', { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept });
    times.push((performance.now() - before) * 1000);
  }
  // The first fifth warms up the compiler of the engine.
  return times.slice(Math.floor(times.length / 5)).toSorted((one, other) => one - other);
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;

function rowsOf(what: string, set: PolicySet, isKept: boolean, goals?: readonly [number, number]): readonly Row[] {
  const rounds = Array.from({ length: ROUNDS }, () => measure(set, isKept ? new KeptResults() : undefined));
  const [p50, p99] = [0.5, 0.99].map((share) => rounds.map((sorted) => at(sorted, share)));
  return [
    row(`${what}: p50, µs`, p50 ?? [], goals && { atMost: goals[0] }),
    row(`${what}: p99, µs`, p99 ?? [], goals && { atMost: goals[1] }),
  ];
}

const rows = [
  ...[1, 5].flatMap((count) => rowsOf(`${count} of the mix`, setOf(MIX, count), true)),
  ...rowsOf('20 of the mix', setOf(MIX, 20), true, [40, 100]),
  ...rowsOf('20 of the mix, nothing kept', setOf(MIX, 20), false),
  ...rowsOf('20 that all read the run', setOf(OF_RUN, 20), true),
  ...rowsOf('100 of the mix', setOf(MIX, 100), true),
];
console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2) ?? '?'}`);
console.log(`\n${tableOf('one decision with its facts', rows)}`);
process.exitCode = rows.every(({ met }) => met !== false) ? 0 : 1;
