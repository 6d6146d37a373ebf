// The lint gate of the charts: `npm run lint:charts`. `-- --write` writes their READMEs instead of checking them.
import { resolve } from 'node:path';
import { runGate, writeGenerated, type CheckResult } from './charts/gate.ts';

const root = resolve(import.meta.dirname, '..');
const HELP = `npm run lint:charts [-- --write]

Holds charts/* against Helm, the schemas of the oldest and the newest supported Kubernetes, kube-score, their values
schemas and their READMEs. Tools and schemas are built once, into ~/.cache/orb-control-plane (about 2 minutes).

  --write   write the READMEs of the charts
  --help    this text

Exit codes: 0 no findings, 1 findings, 64 wrong usage.
`;

const say = (line: string): void => console.error(line);

function report(results: readonly CheckResult[]): number {
  const explained = new Set(results.flatMap((result) => result.explained));
  for (const { check, seconds, findings } of results)
    console.log(`${seconds.toFixed(1).padStart(5)} s  ${String(findings.length).padStart(3)} findings  ${check}`);
  for (const { check, findings } of results)
    for (const { where, what } of findings) console.log(`${check}: ${where}: ${what}`);
  if (explained.size > 0) console.log('Explained by the design (hack/charts/score.ts):');
  for (const line of explained) console.log(`  ${line}`);
  return results.some(({ findings }) => findings.length > 0) ? 1 : 0;
}

async function run(): Promise<number> {
  const since = performance.now();
  const code = report(await runGate(root, say));
  console.log(`${((performance.now() - since) / 1000).toFixed(1)} s in all`);
  return code;
}

const [flag, ...others] = process.argv.slice(2);
if (others.length > 0 || (flag !== undefined && !['--write', '--help'].includes(flag))) {
  process.stderr.write(HELP);
  process.exitCode = 64;
} else if (flag === '--help') process.stdout.write(HELP);
else if (flag === '--write') await writeGenerated(root, say);
else process.exitCode = await run();
