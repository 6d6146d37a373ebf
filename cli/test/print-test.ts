import type { CaseResult } from '../../core/test-report/write-report.ts';
import { printable } from '../io/output.ts';
import type { TestedOrb } from './tested-orb.ts';

const LABEL: Readonly<Record<CaseResult['status'], string>> = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' };

function resultText({ name, status, durationMs, required, faults, receiptId }: CaseResult): string {
  const facts = [
    ...(status === 'skipped' ? [] : [`${durationMs} ms`]),
    ...(required ? [] : ['not required']),
    ...(receiptId === undefined ? [] : [printable(receiptId)]),
  ];
  const head = `  ${LABEL[status].padEnd(7)}  ${printable(name)}${facts.length === 0 ? '' : `  (${facts.join(', ')})`}\n`;
  return `${head}${faults.map((fault) => `           ${printable(fault)}\n`).join('')}`;
}

/** All results, for people. */
export function resultsText({ orb }: TestedOrb, results: readonly CaseResult[]): string {
  const count = (wanted: CaseResult['status']): number => results.filter(({ status }) => status === wanted).length;
  const sums = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
  return `${orb.orbId}\n${results.map(resultText).join('')}${results.length} cases: ${sums}\n`;
}

/** What live cases of an Orb with an effect are going to do. */
export function announcement({ orb, suites }: TestedOrb, effect: string): string {
  const requests = [...orb.providers.values()].map(({ request }) => `${request.method} ${request.sealedUrl}`);
  const live = suites.flatMap(({ name, cases, defaults }) =>
    cases.flatMap(({ id, inputs, mode = defaults?.mode }) =>
      mode === 'live' ? [`  ${name}/${id}  ${JSON.stringify(inputs)}\n`] : [],
    ),
  );
  const lines = live.map((line) => `${printable(line.trimEnd())}\n`).join('');
  return `${orb.orbId} has an effect (${effect}). These cases really send ${printable(requests[0] ?? '')}:\n${lines}`;
}
