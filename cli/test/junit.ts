import type { CaseResult } from '../../core/test-report/write-report.ts';

// XML 1.0 has no other characters, not even escaped.
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

const escaped = (text: string): string =>
  text.replaceAll(NOT_XML, '\ufffd').replaceAll(/[&<>"\n]/g, (character) => ENTITIES[character] ?? '');

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function caseText({ name, suite, status, durationMs, faults }: CaseResult): string {
  const message = escaped(faults.join('\n'));
  const head = `    <testcase classname="${escaped(suite)}" name="${escaped(name)}" time="${seconds(durationMs)}"`;
  if (status === 'passed') return `${head}/>\n`;
  const kind = status === 'skipped' ? 'skipped' : 'failure';
  return `${head}>\n      <${kind} message="${message}"/>\n    </testcase>\n`;
}

const counted = (results: readonly CaseResult[]): string => {
  const count = (wanted: CaseResult['status']): number => results.filter(({ status }) => status === wanted).length;
  const time = results.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return `tests="${results.length}" failures="${count('failed')}" skipped="${count('skipped')}" time="${seconds(time)}"`;
};

/** Results as JUnit XML, for systems that show no CTRF. The platform does not accept it (trust.md §8.4). */
export function junitText(orbId: string, results: readonly CaseResult[]): string {
  const suites = [...new Set(results.map(({ suite }) => suite))].map((name) => {
    const own = results.filter(({ suite }) => suite === name);
    return `  <testsuite name="${escaped(name)}" ${counted(own)}>\n${own.map(caseText).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${escaped(orbId)}" ${counted(results)}>\n${suites.join('')}</testsuites>\n`;
}
