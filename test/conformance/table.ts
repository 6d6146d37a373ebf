import { arch, cpus, platform } from 'node:os';
import type { Result, Scenario } from './scenario.ts';
import { IDS } from './scenarios.ts';

/** A scenario that ran, or could not run. */
export interface Ended {
  readonly scenario: Scenario;
  readonly result: Result;
  readonly ms: number;
}

const wordOf = ({ passed, skipped }: Result): string => {
  if (skipped !== undefined) return 'not run';
  return passed ? 'pass' : 'FAIL';
};

const kindOf = ({ kind = 'sockets' }: Scenario): string => kind.replace('-', ' ');

function measuredOf({ measured, checks, skipped }: Result): string {
  if (skipped !== undefined) return skipped;
  const others = checks.length - measured.length;
  const exact = others === 1 ? '1 exact check' : `${others} exact checks`;
  return [...measured, ...(others === 0 ? [] : [exact])].join('; ');
}

/** @returns `23 of 23`: an id passes when a scenario of it ran and no check failed */
export function summaryOf(ended: readonly Ended[]): string {
  const ids = IDS.filter((id) => ended.some(({ scenario }) => scenario.id === id));
  const passed = ids.filter((id) => {
    const own = ended.filter(({ scenario }) => scenario.id === id);
    const isRun = own.some(({ result }) => result.skipped === undefined);
    return isRun && own.every(({ result }) => result.passed);
  });
  return `${passed.length} of ${ids.length}`;
}

export const rowOf = ({ scenario, result, ms }: Ended): string =>
  `${scenario.id.padEnd(4)} ${wordOf(result).padEnd(7)} ${String(Math.round(ms)).padStart(8)} ms  ${scenario.title}`;

const HEAD = `# Conformance of failover

What the failover of this platform does under the faults that a provider, a name server, Prometheus or an operator can
have, shown by running it: \`npm run conformance\`. Wherever a scenario has them the sockets, TLS, ledger, API server and
processes are real. \`virtual time\` runs the runtime, its prober and the controllers of standalone on a clock that
passes at once. \`real time\` is the same on the machine's clock, with \`--real-time\`.

- \`npm run conformance -- --only S4,S5\` runs some of them, \`--json FILE\` keeps every check, \`--markdown FILE\` writes
  this page. It ends with exit code 1 when one fails.
- All but those in real time, and those that another test repeats (\`test/README.md\`), are part of \`npm test\`.

The providers are a, the primary, and b. "5×" is five times the usual latency of a.
`;

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

/** The page with the results. */
export function markdownOf(ended: readonly Ended[]): string {
  const rows = ended.map(({ scenario, result }) =>
    [scenario.id, scenario.title, kindOf(scenario), wordOf(result), measuredOf(result)].map(cell).join(' | '),
  );
  const machine = `Node ${process.versions.node}, ${cpus().length} cores, ${platform()} ${arch()}`;
  return [
    HEAD,
    `**${summaryOf(ended)}** on ${machine}.\n`,
    '| Id | Scenario | How | Result | Measured |',
    '|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}
