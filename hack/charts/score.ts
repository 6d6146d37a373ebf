import { command } from '../control-plane/command.ts';
import type { Finding } from './finding.ts';
import { nameOf, type Rendered } from './render.ts';

/**
 * Properties that the design requires and kube-score rejects. One process writes the ledger of SQLite, so its
 * Deployment has one replica, and the old pod ends before the new pod starts. The example's provider also has one
 * replica, and the prober of the status: two would measure the same twice.
 */
const DESIGN = [
  '[WARNING] orb-api/orb-system apps/v1/Deployment: Deployment update strategy',
  '[WARNING] orb-api/orb-system apps/v1/Deployment: Deployment few replicas',
  '[WARNING] orb-status-prober/orb-system apps/v1/Deployment: Deployment few replicas',
  '[WARNING] orb-example/orb-example apps/v1/Deployment: Deployment few replicas',
];
const FINDING = /^\[(CRITICAL|WARNING)\]/;

/** `kube-score score`, with every check turned on. @returns findings, and the lines that the design explains */
export async function score(
  kubeScore: string,
  { subject, text, version }: Rendered,
): Promise<{ readonly findings: readonly Finding[]; readonly explained: readonly string[] }> {
  const minor = version.split('.').slice(0, 2).join('.');
  const args = ['score', '-', '--output-format', 'ci', '--kubernetes-version', `v${minor}`];
  const strict = ['--disable-ignore-checks-annotations', '--disable-optional-checks-annotations'];
  const { code, stdout, stderr } = await command(kubeScore, [...args, ...strict], { input: text });
  const lines = stdout.split('\n').filter((line) => FINDING.test(line));
  const where = nameOf(subject);
  if (lines.length === 0 && code !== 0) return { findings: [{ where, what: stderr.trim() }], explained: [] };
  const explained = lines.filter((line) => DESIGN.includes(line));
  const findings = lines.filter((line) => !explained.includes(line)).map((what) => ({ where, what }));
  return { findings, explained };
}
