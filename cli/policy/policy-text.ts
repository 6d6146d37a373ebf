import type { JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { jsonText, table, textAt, textsAt } from '../io/output.ts';

/** `acme/day-budget`. */
export const idOfPolicy = (policy: JsonValue): string => {
  const metadata = objectAt(policy, 'metadata');
  return `${textAt(metadata, 'namespace')}/${textAt(metadata, 'name')}`;
};

const DEFAULT_MODE = 'Audit';
const modeOf = (policy: JsonValue): string => textAt(objectAt(policy, 'spec'), 'mode') || DEFAULT_MODE;

const conditionsOf = (policy: JsonValue): readonly JsonValue[] => listAt(objectAt(policy, 'status'), 'conditions');

const conditionStatus = (policy: JsonValue, type: string): string =>
  conditionsOf(policy)
    .filter((condition) => textAt(condition, 'type') === type)
    .map((condition) => textAt(condition, 'status'))
    .join('');

/** `2 passed, 0 failed`; '' without tests. */
export const testCounts = (tests: JsonValue | undefined): string =>
  member(tests, 'passed') === undefined ? '' : `${textAt(tests, 'passed')} passed, ${textAt(tests, 'failed')} failed`;

/** The mode that holds; '' while the platform has not looked at this generation yet. */
function effectiveOf(policy: JsonValue): string {
  const status = objectAt(policy, 'status');
  const isCurrent = member(status, 'observedGeneration') === member(objectAt(policy, 'metadata'), 'generation');
  return isCurrent ? textAt(status, 'effectiveMode') : '';
}

/** `acme/day-budget: Enforce`, and what holds when that is something else. */
export function policyLine(policy: JsonValue): string {
  const [mode, effective] = [modeOf(policy), effectiveOf(policy)];
  const holds = effective === '' || effective === mode ? '' : `, and ${effective} holds`;
  return `${idOfPolicy(policy)}: ${mode}${holds}\n`;
}

export const POLICY_HEAD = ['POLICY', 'MODE', 'EFFECTIVE', 'READY', 'TESTS', 'GENERATION'];

/** A policy of a list, under `POLICY_HEAD`. */
export function policyRow(policy: JsonValue): readonly string[] {
  const status = objectAt(policy, 'status');
  return [
    idOfPolicy(policy),
    modeOf(policy),
    effectiveOf(policy),
    conditionStatus(policy, 'Ready'),
    testCounts(member(status, 'tests')),
    textAt(objectAt(policy, 'metadata'), 'generation'),
  ];
}

function replayText(replay: JsonValue | undefined): string {
  if (replay === undefined) return '';
  const counts = `${textAt(replay, 'evaluated')} runs, ${textAt(replay, 'newDenies')} new denials, ${textAt(replay, 'indeterminate')} undecidable`;
  return `${textAt(replay, 'id')}: ${counts}`;
}

const conditionRow = (condition: JsonValue): readonly string[] => [
  `  ${textAt(condition, 'type')}`,
  textAt(condition, 'status'),
  textAt(condition, 'message'),
];

const ruleRow = (rule: JsonValue): readonly string[] => [
  `  ${textAt(rule, 'name')}`,
  textAt(rule, 'effect'),
  textAt(rule, 'when'),
];

const costText = (units: JsonValue | undefined): string => (units === undefined ? '' : jsonText(units, 0));

/** A policy with what is known of it, for people. */
export function policyText(policy: JsonValue): string {
  const [spec, status] = [objectAt(policy, 'spec'), objectAt(policy, 'status')];
  const rows: readonly (readonly [string, string])[] = [
    ['policy', idOfPolicy(policy)],
    ['mode', modeOf(policy)],
    ['effective', effectiveOf(policy)],
    ['scope', textAt(spec, 'scope')],
    ['digest', textAt(status, 'policyDigest')],
    ['in force', textAt(status, 'activeDigest')],
    ['facts', textsAt(status, 'readsFacts')],
    ['cost', costText(member(status, 'costUnits'))],
    ['tests', testCounts(member(status, 'tests'))],
    ['last replay', replayText(member(status, 'lastReplay'))],
  ];
  const [rules, conditions] = [listAt(spec, 'rules'), conditionsOf(policy)];
  return [
    table(rows.filter(([, text]) => text !== '')),
    ...(rules.length === 0 ? [] : ['rules\n', table(rules.map(ruleRow))]),
    ...(conditions.length === 0 ? [] : ['conditions\n', table(conditions.map(conditionRow))]),
  ].join('');
}
