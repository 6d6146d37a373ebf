import type { SwapCandidate, SwapEvidence, SwapReceipt } from '../../core/receipt/swap-record.ts';
import type { Explanation } from '../../core/verify/verdict.ts';
import { printable, table } from '../io/output.ts';

/** A swap in a few words. */
export const swapLine = ({ swap }: SwapReceipt): string =>
  `swap ${swap.seq} from ${swap.from} to ${swap.to} (${swap.reason})`;

const ms = (value: number | null): string => (value === null ? '-' : `${value} ms`);

function actorRows({ actor }: SwapReceipt): readonly (readonly string[])[] {
  if (actor === null) return [];
  const { id, reason, mode, expires_at: until } = actor;
  const pin = mode === null ? '' : `, ${mode}${until === null ? '' : ` until ${until}`}`;
  return [['  asked for by', `${id ?? 'not known'}${pin}`], ...(reason === null ? [] : [['  because', reason]])];
}

const HEADS = ['  PROVIDER', 'SAMPLES', 'P50', 'SLOW', 'BASE', 'FAILED', 'PROBES OK', ''] as const;

const candidateRow = (item: SwapCandidate): readonly string[] => [
  `  ${item.provider}`,
  String(item.n),
  ms(item.p50_ms),
  ms(item.pq_ms),
  ms(item.base_ms),
  `${item.bad} of ${item.attempts}`,
  `${item.probe_ok} of ${item.probe_n}`,
  item.active && item.why !== 'active' ? `active, ${item.why}` : item.why,
];

function metricLines({ config, metrics, candidates, streak }: SwapEvidence): string {
  const source = `${metrics.source} at ${metrics.evaluated_at}, newest sample ${metrics.age_ms} ms old`;
  const facts = [
    ['  metrics of', source],
    [
      '  slow beyond',
      `${ms(config.limit_ms)} (p${config.quantile_bp / 100}), in a row: ${streak} of ${config.consecutive}`,
    ],
  ];
  return table(facts) + table([HEADS, ...candidates.map(candidateRow)]);
}

function explained(evidence: SwapEvidence | null, explanation: Explanation | undefined): string {
  if (explanation === undefined) return '';
  if (evidence === null || explanation.kind === 'no-evidence')
    return '  no evidence: there is nothing to decide again\n';
  const verdict = explanation.follows ? 'follows from the evidence' : 'does NOT follow from the evidence';
  return `  the swap ${verdict}: ${printable(explanation.why)}\n${printableLines(metricLines(evidence))}`;
}

const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** Content of a swap receipt, shown below its checks; with the metrics when its decision was replayed. */
export function swapText(record: SwapReceipt, explanation: Explanation | undefined): string {
  const { swap, evaluator, previous_receipt_id: previous } = record;
  const facts = table([
    ['  decided', `${swap.decided_at} by rule ${swap.rule}`],
    ['  by', `${evaluator.id}, ${evaluator.instance}, epoch ${evaluator.epoch}`],
    ...actorRows(record),
    ['  swap before', previous ?? 'none'],
  ]);
  return printableLines(facts) + explained(record.evidence, explanation);
}
