import { stringify } from 'yaml';
import { recordingRules } from '../../adapters/prometheus/expressions.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';

const PATH = 'charts/orb-platform/files/prometheus/rules.yaml';
const HEAD = '# From adapters/prometheus/expressions.ts: npm run generate.\n';

/** The recording rules for `--prometheus-mode recorded`, as a rule file of Prometheus (failover.md §3.1). */
export async function ruleArtefacts(root: string): Promise<readonly Artefact[]> {
  const groups = [{ name: 'orb_provider', interval: '15s', rules: recordingRules('') }];
  const text = HEAD + stringify({ groups }, { lineWidth: 0, singleQuote: true });
  return [{ path: PATH, text: await formatted(root, PATH, text) }];
}
