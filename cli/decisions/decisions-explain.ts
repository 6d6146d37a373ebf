import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { textAt, textsAt } from '../io/output.ts';
import { traceText } from '../policy/evaluation-text.ts';
import { decisionPath } from './decision-path.ts';

const becauseText = (rule: JsonValue): string =>
  `${textAt(rule, 'policy')}/${textAt(rule, 'rule')}\n${traceText(member(rule, 'trace'), '  ')}`;

const changeText = (change: JsonValue): string => {
  const to = textAt(change, 'to');
  return `${to === '' ? 'nothing' : to} in place of ${textAt(change, 'from')} for ${textAt(change, 'fact')}`;
};

const flipText = (flip: JsonValue): string =>
  `with ${[flip, ...listAt(flip, 'also')].map(changeText).join(' and ')}: ${textAt(flip, 'decision')}\n`;

function explanationText(value: JsonObject): string {
  const approvals = textsAt(value, 'approvals');
  const which =
    textAt(value, 'policies') === 'current' ? ' by the policies in force now: those of then are no longer known' : '';
  return [
    `${textAt(value, 'decision')}${which}\n`,
    ...listAt(value, 'because').map(becauseText),
    ...listAt(value, 'smallest_flips').map(flipText),
    approvals === '' ? '' : `only an approval is missing: ${approvals}\n`,
  ].join('');
}

export const decisionsExplainVerb: Verb = {
  usage: 'DECISION_ID',
  count: [1, 1],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about:
    'Shows the values of the deciding rules over the recorded facts, and the smallest change that decides otherwise.',
  examples: ['{orb} decisions explain dec_01a1f866-0dfa-7001-8000-000000001eef'],
  run: async (args, io) =>
    printAnswer(args, io, { method: 'POST', path: decisionPath(args, '/explain'), textOf: explanationText }),
};
