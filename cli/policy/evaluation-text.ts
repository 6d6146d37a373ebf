import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { jsonText, printable, table, textAt, textsAt } from '../io/output.ts';

/** The values of a condition, a line each, those of its parts below it. */
export function traceText(trace: JsonValue | undefined, indent: string): string {
  if (trace === undefined) return '';
  const parts = listAt(trace, 'args').map((part) => traceText(part, `${indent}  `));
  return `${indent}${textAt(trace, 'expr')} = ${textAt(trace, 'value')}\n${parts.join('')}`;
}

/** A denial of a decision (policy.md §3.4): `denied by acme/day-budget/daily (high): daily budget reached`. */
export function denialText(denial: JsonValue): string {
  const [policy, code] = [textAt(denial, 'policy'), textAt(denial, 'code')];
  const rule = `${policy === '' ? '' : `${policy}/`}${textAt(denial, 'rule')}`;
  const why = [textAt(denial, 'message'), code].filter((text) => text !== '').join(', ');
  return `denied by ${rule} (${textAt(denial, 'severity')})${why === '' ? '' : `: ${why}`}\n`;
}

/** A rule that matched or failed, as the cells of a table. */
export const ruleCells = (rule: JsonValue): readonly string[] => [
  `  ${textAt(rule, 'policy')}/${textAt(rule, 'rule')}`,
  textAt(rule, 'effect'),
  textAt(rule, 'result') === 'error' ? 'FAILED' : 'matched',
  member(rule, 'enforced') === true ? 'enforced' : 'not enforced',
  textAt(rule, 'message'),
];

/** Obligations of a decision, a line each. */
export const obligationsText = (decision: JsonValue): string =>
  listAt(decision, 'obligations')
    .map((obligation) => `obligation ${jsonText(obligation, 0)}\n`)
    .join('');

const CHANGES: Readonly<Record<string, string>> = {
  new_deny: 'newly denied by',
  new_allow: 'newly allowed by',
  obligations_changed: 'other obligations by',
};

const changeText = (change: JsonValue): string => {
  const kind = textAt(change, 'kind');
  return `${CHANGES[kind] ?? kind} ${textAt(change, 'rule')}\n`;
};

function rulesText(rules: readonly JsonValue[]): string {
  if (rules.length === 0) return 'no rule matched\n';
  const traces = rules.map((rule) => {
    const trace = traceText(member(rule, 'trace'), '    ');
    return trace === '' ? '' : `  ${textAt(rule, 'policy')}/${textAt(rule, 'rule')}\n${trace}`;
  });
  return `rules\n${table(rules.map(ruleCells))}${traces.join('')}`;
}

/** `facts orbiset.runs_today given, orb.tier live`. */
function factsText(evaluation: JsonObject): string {
  const used = objectAt(evaluation, 'facts_used');
  const facts = Object.keys(used).map((fact) => `${printable(fact)} ${textAt(used, fact)}`);
  const missing = textsAt(evaluation, 'missing_facts');
  return [facts.length === 0 ? '' : `facts ${facts.join(', ')}\n`, missing === '' ? '' : `absent ${missing}\n`].join(
    '',
  );
}

/** What policies would decide about one request, for people. */
export function evaluationText(evaluation: JsonObject): string {
  const now = textAt(objectAt(evaluation, 'current'), 'decision');
  return [
    `${textAt(evaluation, 'decision')}${now === '' ? '' : ` (with the policies in force: ${now})`}\n`,
    ...listAt(evaluation, 'denials').map(denialText),
    obligationsText(evaluation),
    ...listAt(evaluation, 'changes').map(changeText),
    rulesText(listAt(evaluation, 'rules')),
    factsText(evaluation),
  ].join('');
}
