// `npm run chaos operator [-- --only R1,R5 --seed 42 --full]`: the operator under the faults of reliability.md §4.1,
// with its own control plane. `--workloads W1,policies` keeps to these. `--plan FILE` repeats a plan that a failing run
// wrote.
import { parseArgs } from 'node:util';
import type { Procedure } from './operator/procedure.ts';
import { readPlan } from './operator/plan.ts';
import { PLANNED } from './operator/plans.ts';
import { PROCEDURES } from './operator/procedures.ts';
import { storeResult, summarise } from './operator/results.ts';
import type { Reference } from './operator/run-plan.ts';
import { replay, runPlanned } from './operator/run-test.ts';
import { startWorld, stopWorld, type World } from './operator/world.ts';
import { WORKLOADS, type WorkloadName } from './operator/workloads.ts';

const REDUCED_PLANS = 3;

const ALL = [...Object.keys(PLANNED), ...Object.keys(PROCEDURES)];

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: ALL.join(',') },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    full: { type: 'boolean', default: false },
    workloads: { type: 'string', default: '' },
    plan: { type: 'string' },
  },
});

const isWorkload = (name: string): name is WorkloadName => name in WORKLOADS;
const names = values.workloads === '' ? [] : values.workloads.split(',');
const workloads = names.filter(isWorkload);
if (workloads.length < names.length)
  throw new Error(`--workloads takes ${Object.keys(WORKLOADS).join(', ')}, not ${values.workloads}`);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);
const references = new Map<WorkloadName, Reference>();

async function runProcedure(world: World, test: string, procedure: Procedure): Promise<number> {
  const results = await procedure(world, { seed, full: values.full, say });
  for (const { name, faults, measured } of results) {
    say(`${(faults.length > 0 ? 'FAIL' : 'ok').padEnd(9)} ${test} ${name} ${JSON.stringify(measured)}`);
    for (const fault of faults) say(`          ${fault}`);
  }
  storeResult(`${test}-${seed}`, { test, version: world.plane.version, seed, results });
  return results.filter(({ faults }) => faults.length > 0).length;
}

async function runTest(world: World, test: string): Promise<number> {
  const procedure = PROCEDURES[test];
  if (procedure !== undefined) return runProcedure(world, test, procedure);
  const results = await runPlanned(world, test, {
    seed,
    most: values.full ? Infinity : REDUCED_PLANS,
    say,
    references,
    ...(workloads.length === 0 ? {} : { workloads }),
  });
  const summary = summarise(test, { version: world.plane.version, seed }, results);
  const { runs, failed, unreached, convergedMs } = summary;
  const { p50, p99, max } = convergedMs;
  say(
    `${test}: ${runs} runs, ${failed} failed, ${unreached} without their fault; ms to converge p50 ${p50}, p99 ${p99}, max ${max}`,
  );
  storeResult(`${test}-${seed}`, summary);
  for (const fault of summary.faults.slice(0, 1)) say(`first fault: ${fault}`);
  return summary.faults.length;
}

const unknown = values.only.split(',').filter((test) => !ALL.includes(test));
if (unknown.length > 0) throw new Error(`no test ${unknown.join(', ')}; there are ${ALL.join(', ')}`);
// Started processes end with this process, but only on `exit`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
say(`seed ${seed}`);
const world = await startWorld('chaos');
let failed = 0;
try {
  if (values.plan === undefined) for (const test of values.only.split(',')) failed += await runTest(world, test);
  else failed = (await replay(world, readPlan(values.plan), { say })).faults.length;
} finally {
  await stopWorld(world);
}
process.exitCode = failed === 0 ? 0 : 1;
