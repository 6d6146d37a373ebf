// `npm run bench policy [-- --seconds 3 --rounds 3 --turns 24]`: how long one decision takes, with its facts, for sets of
// 1, 5, 20 and 100 policies of one rule; then what 20 of them cost a run of the platform. `--turns 0` leaves that out.
import { cpus, loadavg } from 'node:os';
import { decide, NO_ORBISET_POLICIES } from '../../core/policy/decision/decide.ts';
import { KeptResults } from '../../core/policy/decision/kept-results.ts';
import { policySet, type PolicySet } from '../../core/policy/decision/policy-set.ts';
import { callerFacts, orbFacts, orbisetFacts } from '../../core/policy/facts/build-facts.ts';
import { preFlightFacts } from '../../core/policy/facts/pre-flight-facts.ts';
import { aPolicy, aRule } from '../../test/support/policies.ts';
import { readBenchOptions } from './bench-options.ts';
import { MIX, OF_RUN } from './policy-mix.ts';
import { measureRuns } from './policy-run.ts';
import { row, tableOf, type Row } from './table.ts';

const options = readBenchOptions({
  name: 'policy',
  about: `Measures how long one decision takes, with its facts, for sets of 1, 5, 20 and 100 policies of one rule; then what 20 of
them cost a run of the platform, compared with none. The exit code is 1 when a goal is missed.`,
  options: [
    { name: 'seconds', takes: 'SECONDS', value: '3', least: 0.1, text: 'duration of each measurement of decisions' },
    { name: 'rounds', takes: 'N', value: '3', least: 1, text: 'rounds of decisions' },
    {
      name: 'turns',
      takes: 'N',
      value: '24',
      least: 0,
      text: 'turns of runs with and without policies; 0 leaves them out',
    },
  ],
});
const SECONDS = options.number('seconds');
const ROUNDS = options.number('rounds');
const TURNS = options.number('turns');
const TURN_SECONDS = 1.5;

const setOf = (conditions: readonly string[], count: number): PolicySet =>
  policySet(
    Array.from({ length: count }, (_, index) =>
      aPolicy({ rules: [aRule('deny', conditions[index % conditions.length] ?? 'false')] }, `p${index}`),
    ),
    [],
  );

const BEGIN = 1_790_000_000_000;

/** What outlives a run is made into facts once, as the server does. */
const RUN = {
  orb: orbFacts(
    {
      orbId: 'acme.mailer@1.2.0',
      manifestDigest: `sha256:${'a'.repeat(64)}`,
      labels: { tier: 'prod' },
      irreversible: true,
      hosts: ['mail.example'],
      providers: ['mail'],
      published: { tier: 'silver', score: 70, confidence: 'high', publisherVerified: true, at: BEGIN - 86_400_000 },
    },
    BEGIN,
  ),
  caller: callerFacts({ kind: 'api_key', id: 'key:k1', tenant: 'acme', scopes: ['runs:execute'], groups: [] }),
  orbiset: orbisetFacts({ namespace: 'acme', name: 'prod', labels: {} }),
  runsToday: { caller: 3, orbiset: 30, orb: 20 },
  hasIdempotencyKey: true,
  inputs: { user: { name: 'Ada' }, amount: 12 },
  inputBytes: 40,
  inputNames: [],
};

/** Microseconds of single decisions, each with facts of its own; sorted. */
function measure(set: PolicySet, kept: KeptResults | undefined): readonly number[] {
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1000;
  for (let run = 0; performance.now() < end; run += 1) {
    const before = performance.now();
    const { facts } = preFlightFacts({ ...RUN, startedAt: BEGIN + run });
    decide(set, facts, 'PreFlight', { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept, lasting: RUN });
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
const runs = TURNS === 0 ? [] : await measureRuns({ turns: TURNS, seconds: TURN_SECONDS });
if (runs.length > 0) console.log(`\n${tableOf('runs at 32 callers', runs)}`);
process.exitCode = [...rows, ...runs].every(({ met }) => met !== false) ? 0 : 1;
