import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { withQuery } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { table, textAt } from '../io/output.ts';
import { NAMESPACE } from './find-policy.ts';

const HEAD = ['POLICY', 'RULE', 'COVERAGE', 'MATCHED', 'FAILED'];

const rowOf = (rule: JsonValue): readonly string[] =>
  ['policy', 'rule', 'coverage', 'matched', 'failed'].map((name) => textAt(rule, name));

function coverageText(value: JsonObject): string {
  const rules = listAt(value, 'rules').map(rowOf);
  const newest = member(value, 'complete') === false ? 'newest ' : '';
  const of = `${textAt(value, 'decisions')} ${newest}decisions of ${textAt(value, 'days')} days\n`;
  return rules.length === 0 ? `every rule matched in some of ${of}` : `${table([HEAD, ...rules])}of ${of}`;
}

export const policyCoverageVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [{ name: 'days', value: 'N', text: 'days to look back, 1 to 90 (30)' }, NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about:
    'Lists the rules in force that matched in no decision, or in every one: they decide nothing that a reader expects.',
  examples: ['{orb} policy coverage --days 30'],
  run: async (args, io) =>
    printAnswer(args, io, {
      method: 'GET',
      path: withQuery('policies/coverage', { days: args.one('days'), namespace: args.one('namespace') }),
      textOf: coverageText,
    }),
};
