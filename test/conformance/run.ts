// `npm run conformance [-- --only S4,S5 --real-time --json FILE --markdown FILE]`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { startPlatformPlane } from '../support/platform-plane.ts';
import type { Result, Scenario, Stage } from './scenario.ts';
import { IDS, SCENARIOS } from './scenarios.ts';
import { markdownOf, rowOf, summaryOf, type Ended } from './table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: IDS.join(',') },
    'real-time': { type: 'boolean', default: false },
    json: { type: 'string' },
    markdown: { type: 'string' },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const only = values.only.split(',');
const unknown = only.filter((id) => !IDS.includes(id));
if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; there are ${IDS.join(', ')}`);

let plane: Promise<ControlPlane> | undefined;
const stage: Stage = { plane: () => (plane ??= startPlatformPlane()) };

const broken = (error: unknown): Result => ({
  passed: false,
  checks: [
    { what: 'runs to its end', passed: false, seen: error instanceof Error ? (error.stack ?? '') : String(error) },
  ],
  measured: [],
});

async function run(scenario: Scenario): Promise<Ended> {
  const began = performance.now();
  const result = await scenario.run(stage).catch(broken);
  const ended = { scenario, result, ms: performance.now() - began };
  say(rowOf(ended));
  for (const { what, passed, seen } of result.checks) if (!passed) say(`       ${what}: ${seen}`);
  return ended;
}

const chosen = SCENARIOS.filter(({ id }) => only.includes(id));
const ended: Ended[] = [];
try {
  for (const scenario of chosen.filter(({ kind }) => kind !== 'real-time')) ended.push(await run(scenario));
  // These take minutes: they run side by side, and nothing else runs beside them.
  const real = values['real-time'] ? chosen.filter(({ kind }) => kind === 'real-time') : [];
  ended.push(...(await Promise.all(real.map(run))));
} finally {
  await (await plane)?.stop();
}
const order = (id: string): number => IDS.indexOf(id);
const sorted = ended.toSorted((one, other) => order(one.scenario.id) - order(other.scenario.id));
say(`${summaryOf(sorted)} passed`);
if (values.json !== undefined) {
  const rows = sorted.map(({ scenario: { id, title, kind = 'sockets' }, result, ms }) => ({
    id,
    title,
    kind,
    ms,
    ...result,
  }));
  writeFileSync(values.json, `${JSON.stringify(rows, undefined, 1)}\n`);
}
if (values.markdown !== undefined) writeFileSync(values.markdown, markdownOf(sorted));
process.exitCode = sorted.every(({ result }) => result.passed) ? 0 : 1;
