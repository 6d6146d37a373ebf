import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, objectAt } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { table, textAt, textsAt } from '../io/output.ts';
import { denialText, obligationsText, ruleCells } from '../policy/evaluation-text.ts';
import { decisionPath } from './decision-path.ts';

const exceptionText = (used: JsonValue): string =>
  `exception from ${textAt(used, 'policy')}/${textAt(used, 'rule')} until ${textAt(used, 'until')}: ${textAt(used, 'reason')}\n`;

function decisionText(decision: JsonObject): string {
  const [shadow, receipt] = [objectAt(decision, 'shadow'), textAt(decision, 'receipt_id')];
  const [provider, rules] = [textAt(decision, 'provider'), listAt(decision, 'rules')];
  const approvals = textsAt(decision, 'approvals');
  const rows = [
    ['decision', `${textAt(decision, 'decision_id')}  ${textAt(decision, 'decision')}`],
    ['shadow', textAt(shadow, 'decision')],
    ['at', textAt(decision, 'at')],
    ['orb', textAt(decision, 'orb_id')],
    ['orbiset', textAt(decision, 'orbiset')],
    ['caller', textAt(decision, 'caller')],
    ['phase', `${textAt(decision, 'phase')}${provider === '' || provider === 'null' ? '' : `, ${provider}`}`],
    ['run', textAt(decision, 'run_id')],
    ['receipt', receipt === 'null' ? 'none yet: the run is open' : receipt],
    ['policies', textAt(decision, 'policy_set_digest')],
    ...(approvals === '' ? [] : [['waits for', `approval by ${approvals}`]]),
  ];
  return [
    table(rows),
    ...listAt(decision, 'denials').map(denialText),
    obligationsText(decision),
    ...listAt(decision, 'exceptions_used').map(exceptionText),
    rules.length === 0 ? 'no rule matched\n' : `rules\n${table(rules.map(ruleCells))}`,
  ].join('');
}

export const decisionsGetVerb: Verb = {
  usage: 'DECISION_ID',
  count: [1, 1],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: 'orb decisions explain shows the values that decided, and what would have changed it.',
  examples: ['{orb} decisions get dec_01a1f866-0dfa-7001-8000-000000001eef'],
  run: async (args, io) => printAnswer(args, io, { method: 'GET', path: decisionPath(args), textOf: decisionText }),
};
